// What may be changed while a review goes on: its stage, the size of a page, and random pages.

import { h } from "../dom.js";
import { tell, tellProblem } from "../notices.js";

export const RATES = [0, 0.05, 0.1, 0.2, 0.5];

/** @param {import("./view.js").Review} review @param {any} now */
export function settingsForm(review, now) {
  const stage = h("select", { id: "set-stage" }, h("option", { value: "title/abstract" }, "titles and abstracts"),
    h("option", { value: "full text" }, "full texts of what is relevant"));
  const size = h("input", { id: "set-size", type: "number", min: 1, max: 100, required: true });
  const random = h("select", { id: "set-random" },
    ...[...new Set([...RATES, now.random_rate])].sort((a, b) => a - b).map((rate) => h("option", { value: rate }, rateInWords(rate))));
  stage.value = now.stage;
  size.value = now.page_size;
  random.value = now.random_rate;
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await review.api.change({ stage: stage.value, page_size: Number(size.value), random_rate: Number(random.value) });
      if (stage.value !== now.stage) location.reload(); // every part of the page is of the stage
      else tell("The settings are kept: they hold from the next page on.");
    } catch (error) {
      tellProblem(error);
    }
  };
  /** @param {string} label @param {any} control */
  const field = (label, control) => h("div", { class: "labelled" }, h("label", { for: control.id }, label), control);
  return h("form", { class: "row settings", on: { submit: save } }, field("Judged now", stage), field("Records a page", size),
    field("Random pages", random), h("button", { class: "small" }, "Save"));
}

/** @param {number} rate */
export function rateInWords(rate) {
  if (!rate) return "none";
  const each = Math.round(1 / rate);
  return each === 2 ? "every second page" : Math.abs(1 / each - rate) < 1e-6 ? `every ${each}th page` : `${Math.round(100 * rate)} % of pages`;
}
