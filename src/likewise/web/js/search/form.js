// The search box, and how a query is learned.

import { h, icon } from "../dom.js";
import { count } from "../format.js";

const DOCUMENT = 400; // characters from which pasted text is taken to be a document
/** What the methods do, for those who choose one; those not named here go by their names. */
const METHODS = {
  auto: "chosen by the number of examples",
  steady: "balanced SVM, steady from few examples",
  centroid: "the mean of the examples; at once",
  "1c": "one-class SVM; at once",
  rocchio: "examples minus the rest",
  ba: "balanced SVM",
  pr: "precision at recall",
  f1: "F1",
  "p@k": "precision at k",
  "r@k": "recall at k",
  rank: "all pairs in order",
};

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
  const method = h("select", { id: "method", name: "method" },
    ...info.methods.map((/** @type {string} */ name) => {
      const about = METHODS[/** @type {keyof typeof METHODS} */ (name)];
      return h("option", { value: name }, about ? `${name}: ${about}` : name);
    }));
  const how = h("p", { class: "how" }, h("label", { for: "method" }, "Learn by"), method);
  const element = h("form", { class: "question", role: "search" },
    h("div", { class: "box" }, icon("search"),
      h("label", { for: "words", class: "visually-hidden" }, `Search ${count(info.documents)} documents`),
      words, h("button", { class: "primary" }, "Search")),
    how);

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
  method.addEventListener("change", () => onChange({ ...asked, method: method.value }));

  return {
    element,
    /** @param {import("./asked.js").Asked} now */
    update(now) {
      asked = now;
      if (document.activeElement !== words || words.value.trim() !== now.words) words.value = now.words;
      method.value = now.method;
      how.hidden = now.like.length + now.unlike.length === 0;
    },
  };
}
