// An estimate of recall and the band it lies in, on a line from nothing to all.

import { h, svg } from "../dom.js";
import { percent } from "../format.js";

/** @param {{ recall: number | null, low: number | null, high: number | null }} estimate */
export function recallBand({ recall, low, high }) {
  const known = recall !== null && recall !== undefined;
  const hasBand = low !== null && low !== undefined && high !== null && high !== undefined;
  const says = [known ? `Recall about ${percent(recall)}` : "Recall", hasBand && `between ${percent(low)} and ${percent(high)}`];
  return h("figure", { class: "recall" },
    h("figcaption", {}, says.filter(Boolean).join(known ? ", " : " ")),
    svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "track", x: 0, y: 3, width: 100, height: 4 }),
      hasBand && svg("rect", { class: "band", x: 100 * low, y: 3, width: Math.max(0.5, 100 * (high - low)), height: 4 }),
      known && svg("rect", { class: "point", x: Math.min(99, Math.max(0, 100 * recall - 0.5)), y: 0, width: 1, height: 10 })));
}
