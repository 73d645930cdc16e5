// How many of all documents were judged relevant, not relevant or unsure, as one bar.

import { svg } from "../dom.js";

/** @typedef {{ relevant: number, others: number, undecided: number }} Judged */

const KINDS = /** @type {const} */ (["relevant", "undecided", "others"]);

/** @param {Judged} judged */
export const judgedTotal = (judged) => judged.relevant + judged.others + judged.undecided;

/** @param {Judged} judged @param {number} documents that can be judged */
export function tally(judged, documents) {
  const total = Math.max(1, judgedTotal(judged), documents);
  let from = 0;
  const parts = KINDS.map((kind) => {
    const width = (100 * judged[kind]) / total;
    const part = svg("rect", { class: kind, x: from, y: 0, width, height: 4 });
    from += width;
    return part;
  });
  return svg("svg", { class: "tally", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, ...parts);
}
