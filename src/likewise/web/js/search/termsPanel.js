// The query's heaviest words, each of which can be switched off or pinned.

import { h, button, fill } from "../dom.js";
import { panel } from "../panel.js";
import { bar } from "../why/bars.js";

/** @typedef {import("../api.js").Learned} Learned */
/** @typedef {import("../api.js").Weight} Weight */

/** @param {{ onChoose: (term: string, choice: "off" | "pinned" | null) => void }} act */
export function termsPanel({ onChoose }) {
  const body = h("div", { class: "terms" });
  const element = panel("Words", {}, body);
  /** Whole words for terms, also of those switched off. @type {Map<string, string>} */
  const words = new Map();
  return {
    element,
    /** @param {Learned | null} query @param {import("./asked.js").Asked} asked */
    update(query, asked) {
      if (!query) {
        fill(body, h("p", { class: "muted" }, "Give an example, and the words that were learned from it are listed here."));
        return;
      }
      for (const { term, word } of [...query.up, ...query.down]) words.set(term, word);
      const focus = document.activeElement?.getAttribute("data-control");
      const most = Math.max(...[...query.up, ...query.down].map(({ weight }) => Math.abs(weight)), 1e-12);
      const row = (/** @type {Weight} */ one) => listed(one, most, asked, onChoose);
      const off = asked.off.map((term) => ({ term, weight: 0, word: words.get(term) ?? term }));
      fill(body, group("Bring records up", query.up.filter(({ term }) => !asked.off.includes(term)).map(row)),
        group("Bring records down", query.down.filter(({ term }) => !asked.off.includes(term)).map(row)),
        group("Switched off", off.map(row)));
      if (focus) /** @type {HTMLElement | null} */ (body.querySelector(`[data-control="${CSS.escape(focus)}"]`))?.focus();
    },
  };
}

/** @param {string} title @param {Element[]} rows */
const group = (title, rows) =>
  rows.length ? h("div", {}, h("h3", {}, title), h("ul", { class: "plain term-list" }, ...rows)) : null;

/** @param {Weight} one @param {number} most @param {any} asked @param {any} onChoose */
function listed({ term, weight, word }, most, asked, onChoose) {
  const isOff = asked.off.includes(term);
  const isPinned = asked.pinned.includes(term);
  /** @param {string} says @param {"off" | "pinned"} choice @param {boolean} is */
  const choice = (says, choice, is) =>
    button(`${says} ${word}`, () => onChoose(term, is ? null : choice), {
      icon: choice === "off" ? "off" : "pin", class: "quiet", "aria-pressed": String(is),
      "data-control": `${choice}:${term}`,
    });
  return h("li", { class: isOff ? "is-off" : isPinned ? "is-pinned" : "" },
    h("span", { class: "term" }, word), bar(weight, most),
    h("span", { class: "choices" }, choice("Pin", "pinned", isPinned), choice("Switch off", "off", isOff)));
}
