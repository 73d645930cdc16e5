// Bounds on recall, on a line from nothing to all.

import { h, svg } from "../dom.js";

/** Rounded down: a bound must not say more than it does. @param {number} value */
export const atLeast = (value) => `${Math.floor(100 * value + 1e-9)}\u00a0%`;

/** @param {number} value */
const atMost = (value) => `${Math.ceil(100 * value - 1e-9)}\u00a0%`;

/** @typedef {{ recall: number | null, low: number | null, high: number | null, confidence: number | null }} Bounds */

/** @param {Bounds} estimate */
export function recallBand({ recall, low, high, confidence }) {
  if (low === null || high === null) return null;
  const sure = confidence === null ? "" : `, with ${atLeast(confidence)} confidence`;
  const says = high < 1 ? `Between ${atLeast(low)} and ${atMost(high)} of the relevant ones are found${sure}`
    : `At least ${atLeast(low)} of the relevant ones are found${sure}`;
  return h("figure", { class: "recall" },
    h("figcaption", {}, says),
    svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "track", x: 0, y: 3, width: 100, height: 4 }),
      svg("rect", { class: "band", x: 100 * low, y: 3, width: Math.max(0.5, 100 * (high - low)), height: 4 }),
      recall !== null && svg("rect", { class: "point", x: Math.min(99, Math.max(0, 100 * recall - 0.5)), y: 0, width: 1, height: 10 })));
}
