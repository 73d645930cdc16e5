// What the page to judge says: which page it is, that there is none, and what was undone.

import { h } from "../dom.js";
import { count, counted, sentence } from "../format.js";
import { said } from "../labels.js";
import { tell } from "../notices.js";
import { titleOf } from "../titles.js";

/** @param {any} page @param {number} place @param {number} all */
export function summary({ number, method, reason, hits }, place, all) {
  if (!hits.length) return sentence(reason || "nothing is left to judge");
  const parts = [`Page ${count(number)}`, method === "random" && "a random sample", place && `record ${place} of ${all}`];
  return parts.filter(Boolean).join(", ");
}

export function finished() {
  return h("li", { class: "empty" }, h("h2", {}, "Nothing is left to judge"),
    h("p", {}, "Every record was shown to you. Export what you have found."));
}

/** @param {string} index @param {"undo" | "redo"} which @param {any[]} changes */
export async function tellStep(index, which, changes) {
  const [one] = changes;
  const title = one && shortened(await titleOf(index, one.id));
  tell(changes.length === 1 ? `${which === "undo" ? "Undone" : "Redone"}: “${title}” is ${said(one.after)}.`
    : `${counted(changes.length, "judgement")} changed.`);
}

/** @param {string} text */
const shortened = (text) => (text.length > 60 ? `${text.slice(0, 58).trimEnd()} …` : text);
