// Why a document is here: its text with the words that count, and how much each of them adds.

import * as api from "../api.js";
import { h, fill } from "../dom.js";
import { bars } from "./bars.js";
import { marked, termsIn } from "./marks.js";

/** @param {import("../api.js").Hit} hit @param {string} index */
export function whyPanel(hit, index) {
  const text = h("p", { class: "text" }, hit.snippet);
  void show(text, hit, index);
  return h("div", { class: "why-parts" }, text, whyBars(hit));
}

/** @param {import("../api.js").Hit} hit */
export function whyBars(hit) {
  const terms = hit.terms ?? [];
  return terms.length
    ? bars(terms, hit.others ?? 0, hit.score, `${hit.title} ${hit.snippet}`)
    : h("p", { class: "muted" }, "Nothing is known of it yet: the order is random until you judge.");
}

/** @param {HTMLElement} place @param {import("../api.js").Hit} hit @param {string} index */
async function show(place, hit, index) {
  try {
    const { text } = await api.document_(index, hit.id);
    fill(place, text);
    fill(place, ...marked(text, hit.terms ?? [], await termsIn(index, [text])));
  } catch (error) {
    place.after(h("p", { class: "bad" }, error instanceof Error ? error.message : ""));
  }
}
