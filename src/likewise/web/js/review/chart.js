// The gain curve: relevant documents against documents judged.

import { svg } from "../dom.js";
import { count } from "../format.js";

const POINTS = 400; // more cannot be told apart

/** @param {number[]} gain so many relevant after 0, 1, 2 … judgements @param {{ small?: boolean }} [how] */
export function gainChart(gain, { small = false } = {}) {
  const size = small ? { width: 320, height: 150, left: 26, bottom: 20 } : { width: 680, height: 300, left: 40, bottom: 34 };
  const judged = gain.length - 1;
  const found = gain[judged];
  const across = Math.max(judged, 2);
  const up = nice(Math.max(found, 1));
  const inner = { x: size.left, y: 8, width: size.width - size.left - 12, height: size.height - size.bottom - 8 };
  const x = (/** @type {number} */ value) => round(inner.x + (inner.width * value) / across);
  const y = (/** @type {number} */ value) => round(inner.y + inner.height * (1 - value / up));
  const path = thinned(gain).map(([at, value], i) => `${i ? "L" : "M"}${x(at)} ${y(value)}`).join("");
  const ideal = Math.min(across, up);
  return svg("svg", {
    class: small ? "chart small" : "chart", viewBox: `0 0 ${size.width} ${size.height}`, role: "img",
    "aria-label": `Gain: ${count(found)} relevant among the first ${count(judged)} judged`,
  },
    ...[0, up / 2, up].map((value) => horizontal(inner, y(value), Number.isInteger(value) ? count(value) : "")),
    ...[["0", 0, "start"], ["judged", across / 2, "middle"], [count(across), across, "end"]].map(
      ([text, at, anchor]) => svg("text", {
        x: x(/** @type {number} */ (at)), y: size.height - (small ? 5 : 12), "text-anchor": anchor,
      }, text)),
    svg("text", { x: inner.x + 6, y: inner.y + 14 }, "relevant"),
    svg("path", { class: "ideal", d: `M${x(0)} ${y(0)}L${x(ideal)} ${y(ideal)}` }),
    svg("path", { class: "area", d: `${path}L${x(judged)} ${y(0)}L${x(0)} ${y(0)}Z` }),
    svg("path", { class: "curve", d: path }),
    svg("circle", { class: "now", cx: x(judged), cy: y(found), r: small ? 3 : 4.5 }));
}

/** @param {any} inner @param {number} at @param {string} label */
function horizontal(inner, at, label) {
  return svg("g", {}, svg("line", { class: "grid", x1: inner.x, x2: inner.x + inner.width, y1: at, y2: at }),
    svg("text", { x: inner.x - 6, y: at + 4, "text-anchor": "end" }, label));
}

/** The least round number that is no less, and even. @param {number} value */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const step = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return Math.max(2, step * power);
}

/** @param {number[]} gain @returns {[number, number][]} */
function thinned(gain) {
  const step = Math.max(1, Math.floor(gain.length / POINTS));
  return gain.flatMap((value, i) =>
    (i % step === 0 || i === gain.length - 1 ? [/** @type {[number, number]} */ ([i, value])] : []));
}

/** @param {number} value */
const round = (value) => Math.round(10 * value) / 10;
