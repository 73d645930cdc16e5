// The search box, and how a query is learned.

import * as api from "../api.js";
import { h, icon } from "../dom.js";
import { count } from "../format.js";
import { methodChoice, SEARCHING } from "../methods.js";
import { tellProblem } from "../notices.js";

const DOCUMENT = 400; // characters from which pasted text is taken to be a document
/**
 * @param {any} info the index
 * @param {{ onChange: (asked: any) => void, onDocuments: (documents: any[], label: any) => void }} act
 */
export function questionForm(info, { onChange, onDocuments }) {
  let asked = /** @type {any} */ (null);
  const words = h("input", {
    id: "words", type: "search", name: "q", autocomplete: "off", enterkeyhint: "search",
    placeholder: "Words, or paste a document",
  });
  const method = methodChoice("method", api.methods().then(({ search }) => search), SEARCHING);
  method.filled.catch(tellProblem);
  const hint = h("p", { class: "muted hint" }, "A minus before a word leaves it out; words in “quotes” must stand together.");
  const element = h("form", { class: "question", role: "search" },
    h("div", { class: "box" }, icon("search"),
      h("label", { for: "words", class: "visually-hidden" }, `Search ${count(info.documents)} records`),
      words, h("button", { class: "primary" }, "Search")),
    hint, method.element);

  element.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    onChange({ ...asked, words: words.value.trim() });
  });
  words.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length < DOCUMENT && !/\n\s*\n/.test(text)) return;
    event.preventDefault();
    onDocuments([{ title: "", text }], "relevant");
  });
  method.select.addEventListener("change", () => onChange({ ...asked, method: method.select.value }));

  return {
    element,
    /** @param {import("./asked.js").Asked} now */
    update(now) {
      asked = now;
      if (document.activeElement !== words || words.value.trim() !== now.words) words.value = now.words;
      method.choose(now.method);
      const learns = now.like.length + now.unlike.length > 0;
      method.element.hidden = !learns;
      hint.hidden = learns; // beside examples, words are one more
    },
  };
}
