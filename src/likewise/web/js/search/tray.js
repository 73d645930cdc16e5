// The examples: relevant, not relevant and unsure; and a place for new ones.

import { h, button, fill } from "../dom.js";
import { documentAddress } from "../router.js";
import { panel } from "../panel.js";
import * as stash from "../stash.js";
import { showTitle } from "../titles.js";
import { learns, nameOf } from "./asked.js";
import * as api from "../api.js";
import { readFiles } from "./documents.js";
import { may } from "../me.js";
import { tellProblem } from "../notices.js";
import { reviewLink } from "./reviewLink.js";

/** @typedef {import("./asked.js").Example} Example */
/** @typedef {import("./asked.js").Label} Label */

const SIDES = /** @type {const} */ ([
  { label: "relevant", title: "Like these" },
  { label: "not", title: "Unlike these" },
  { label: "unsure", title: "Unsure" },
]);

/**
 * @param {string} index
 * @param {{ onJudge: (example: Example, label: Label | null) => void, onClear: () => void, onNoWords: () => void,
 *   onDocuments: (documents: stash.Typed[], label: Label, problems?: string[]) => void }} act
 */
export function tray(index, { onJudge, onClear, onNoWords, onDocuments }) {
  const lists = h("div", { class: "examples" });
  const clear = button("Clear", onClear, { class: "link", "aria-label": "Clear all examples" });
  const review = h("p", { class: "row" });
  const number = h("span", { class: "badge" });
  const element = panel("Examples", { extra: number, action: clear }, lists, adding(onDocuments), review);
  return {
    element,
    /** @param {import("./asked.js").Asked} asked */
    update(asked) {
      const sides = [asked.like, asked.unlike, asked.unsure.map((id) => ({ id }))];
      const total = sides.flat().length;
      const words = learns(asked) && asked.words ? [wordsItem(asked.words, onNoWords)] : [];
      clear.hidden = !total;
      number.textContent = total ? String(total + words.length) : "";
      fill(lists, ...SIDES.map((side, i) =>
        listed(side, [...(i ? [] : words), ...sides[i].map((one) => item(index, one, onJudge))])),
        !total && h("p", { class: "muted" }, "Results that you judge are listed here, and so are documents of your own."));
      fill(review, total > 0 && may("review") && reviewLink(index, asked));
      review.hidden = !total;
    },
  };
}

/** @param {any} side @param {Element[]} items */
function listed({ label, title }, items) {
  if (!items.length) return null;
  return h("div", { class: `side-list ${label}` },
    h("h3", {}, title, " ", h("span", { class: "badge" }, items.length)),
    h("ul", { class: "plain" }, ...items));
}

/** The words count as one more example. @param {string} words @param {() => void} onNoWords */
const wordsItem = (words, onNoWords) => h("li", {}, h("span", { class: "typed" }, `the words “${words}”`),
  button("Leave the words out", onNoWords, { icon: "close", class: "quiet" }));

/** @param {string} index @param {Example} example @param {any} onJudge */
function item(index, example, onJudge) {
  const remove = button("Remove this example", () => onJudge(example, null), { icon: "close", class: "quiet" });
  return h("li", { "data-example": nameOf(example) }, shownName(index, example), remove);
}

/** @param {string} index @param {Example} example */
function shownName(index, example) {
  if ("id" in example) {
    const link = h("a", { href: documentAddress(index, example.id) });
    showTitle(link, index, example.id);
    return link;
  }
  const typed = stash.get(example.key);
  if (!typed) {
    return h("span", { class: "muted" }, "a text from another tab, not available here");
  }
  return h("span", { class: "typed", title: typed.text.slice(0, 600) }, typed.title || typed.text.slice(0, 90));
}

/** @param {(documents: stash.Typed[], label: Label, problems?: string[]) => void} onDocuments */
function adding(onDocuments) {
  const text = h("textarea", { id: "example-text", rows: 3, placeholder: "Paste or type a document" });
  const files = h("input", {
    type: "file", id: "example-files", multiple: true, class: "visually-hidden",
  });
  api.formats().then(({ suffixes }) => files.setAttribute("accept", [...suffixes, ".gz"].join(",")), tellProblem);
  /** @param {Label} label */
  const add = (label) => {
    const typed = text.value.trim();
    if (!typed) return text.focus();
    text.value = "";
    return onDocuments([{ title: "", text: typed }], label);
  };
  files.addEventListener("change", () => {
    readFiles([...files.files]).then((read) => onDocuments(read.documents, "relevant", read.problems), tellProblem);
    files.value = "";
  });
  return h("div", { class: "adding" },
    h("label", { for: "example-text", class: "visually-hidden" }, "A document as an example"), text,
    h("div", { class: "row" },
      button("Like this", () => add("relevant"), { class: "small" }),
      button("Unlike this", () => add("not"), { class: "small" }),
      files, h("label", { for: "example-files", class: "button small" }, "Files …")));
}
