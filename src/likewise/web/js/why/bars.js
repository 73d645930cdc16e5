// What each term adds to a score, as bars to both sides of a line.

import { h, svg } from "../dom.js";
import { weight } from "../format.js";

/** @typedef {import("../api.js").Weight} Weight */

/** Not “(parts of the title)” and the like, which are no words. @param {Weight} one */
export const isWord = ({ word }) => !word.startsWith("(");

/**
 * Words come first, each by what it adds.
 * @param {Weight[]} terms @param {number} others @param {number} score @param {string} [text] where words stand as they are written
 */
export function bars(terms, others, score, text = "") {
  const most = Math.max(...terms.map((one) => Math.abs(one.weight)), Math.abs(others), 1e-12);
  const ordered = [...terms.filter(isWord), ...terms.filter((one) => !isWord(one))];
  const capitals = new Map((text.match(/(?<!\p{L})\p{Lu}{2,}(?!\p{L})/gu) ?? []).map((word) => [word.toLowerCase(), word]));
  const rows = ordered.map(({ word, weight: value }) => row(capitals.get(word) ?? word, value, most));
  if (Math.abs(others) > 1e-9) rows.push(row("all others", others, most, "others"));
  return h("table", { class: "bars" },
    h("caption", {}, "What the words add to its score of ", h("strong", {}, score.toFixed(3))),
    h("tbody", {}, ...rows));
}

/** @param {string} name @param {number} value @param {number} most @param {string} [kind] */
function row(name, value, most, kind = "") {
  return h("tr", { class: kind },
    h("th", { scope: "row" }, name), h("td", { class: "bar-cell" }, bar(value, most)),
    h("td", { class: "number" }, weight(value)));
}

/** @param {number} value @param {number} most */
export function bar(value, most) {
  const length = Math.min(1, Math.abs(value) / most) * 100;
  const side = value < 0 ? "down" : "up";
  return svg("svg", {
    class: `bar ${side}`, viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true",
  }, svg("rect", { x: 0, y: 0, width: Math.max(0.8, length), height: 10 }));
}
