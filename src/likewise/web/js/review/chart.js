// Two curves along the judgements: relevant documents found, and how long none has come.

import { h, svg } from "../dom.js";
import { count, counted } from "../format.js";

const POINTS = 400; // more cannot be told apart
const ROWS = 20; // of the table that says the same

/** @typedef {{ width: number, height: number, left: number, bottom: number }} Size */
/** @type {Size} */
const SMALL = { width: 320, height: 150, left: 26, bottom: 20 };
const narrow = matchMedia("(max-width: 40rem)"); // where a wide chart's words could not be read

/** As wide as there is room for. @param {number} height @returns {Size} */
const sized = (height) => (narrow.matches ? { width: 360, height: height * 0.75, left: 34, bottom: 30 }
  : { width: 680, height, left: 40, bottom: 34 });

/** @param {number[]} gain so many relevant after 0, 1, 2 … judgements @param {{ small?: boolean }} [how] */
export function gainChart(gain, { small = false } = {}) {
  const judged = gain.length - 1;
  const found = gain[judged];
  const up = nice(Math.max(found, 1));
  const ideal = Math.min(Math.max(judged, 2), up);
  return curve(gain, {
    size: small ? SMALL : sized(300), small, up, says: "relevant", ideal,
    label: `Gain: ${count(found)} relevant among the first ${count(judged)} judged`,
  });
}

/** @param {number[]} gain as above @returns {number[]} so many judged since the last relevant one, after 0, 1, 2 … */
export function sinceLast(gain) {
  let since = 0;
  return gain.map((value, i) => (since = i && value === gain[i - 1] ? since + 1 : 0));
}

/** @param {number[]} gain */
export function sinceChart(gain) {
  const since = sinceLast(gain);
  const now = since[since.length - 1];
  return curve(since, {
    size: sized(180), up: nice(Math.max(...since, 1)), says: "records",
    label: `${counted(now, "record")} since the last relevant one; the longest stretch without one was ${count(Math.max(...since))}`,
  });
}

/** The same numbers for those who read rather than look. @param {number[]} gain */
export function asTable(gain) {
  const since = sinceLast(gain);
  const judged = gain.length - 1;
  const step = Math.max(1, Math.ceil(judged / ROWS));
  const places = [...Array(judged + 1).keys()].filter((i) => i && (i % step === 0 || i === judged));
  return h("details", { class: "details" }, h("summary", {}, "As a table"),
    h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, ...["Judged", "Relevant", "Since the last relevant one"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...places.map((i) => h("tr", {},
        h("th", { scope: "row" }, count(i)), h("td", {}, count(gain[i])), h("td", {}, count(since[i])))))));
}

/**
 * @param {number[]} values after 0, 1, 2 … judgements
 * @param {{ size: Size, up: number, says: string, label: string, small?: boolean, ideal?: number }} how
 */
function curve(values, { size, up, says, label, small = false, ideal }) {
  const judged = values.length - 1;
  const across = Math.max(judged, 2);
  const inner = { x: size.left, y: 8, width: size.width - size.left - 12, height: size.height - size.bottom - 8 };
  const x = (/** @type {number} */ value) => round(inner.x + (inner.width * value) / across);
  const y = (/** @type {number} */ value) => round(inner.y + inner.height * (1 - value / up));
  const path = thinned(values).map(([at, value], i) => `${i ? "L" : "M"}${x(at)} ${y(value)}`).join("");
  return svg("svg", {
    class: small ? "chart small" : "chart", viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label,
  },
    ...[0, up / 2, up].map((value) => horizontal(inner, y(value), Number.isInteger(value) ? count(value) : "")),
    ...[["0", 0, "start"], ["judged", across / 2, "middle"], [count(across), across, "end"]].map(
      ([text, at, anchor]) => svg("text", {
        x: x(/** @type {number} */ (at)), y: size.height - (small ? 5 : 12), "text-anchor": anchor,
      }, text)),
    svg("text", { x: inner.x + 6, y: inner.y + 14 }, says),
    ideal !== undefined && svg("path", { class: "ideal", d: `M${x(0)} ${y(0)}L${x(ideal)} ${y(ideal)}` }),
    svg("path", { class: "area", d: `${path}L${x(judged)} ${y(0)}L${x(0)} ${y(0)}Z` }),
    svg("path", { class: "curve", d: path }),
    svg("circle", { class: "now", cx: x(judged), cy: y(values[judged]), r: small ? 3 : 4.5 }));
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

/**
 * Of each stretch its lowest and its highest value: no peak is lost.
 * @param {number[]} values @returns {[number, number][]}
 */
function thinned(values) {
  const step = Math.max(1, Math.ceil((2 * values.length) / POINTS));
  if (step === 1) return values.map((value, i) => [i, value]);
  /** @type {Set<number>} */
  const kept = new Set([0, values.length - 1]);
  for (let from = 0; from < values.length; from += step) {
    const part = values.slice(from, from + step);
    kept.add(from + part.indexOf(Math.min(...part)));
    kept.add(from + part.indexOf(Math.max(...part)));
  }
  return [...kept].sort((a, b) => a - b).map((i) => [i, values[i]]);
}

/** @param {number} value */
const round = (value) => Math.round(10 * value) / 10;
