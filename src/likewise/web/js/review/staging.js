// What is judged now: titles and abstracts, or the full texts of what was found relevant.

import { h } from "../dom.js";
import { tellProblem } from "../notices.js";

const STAGES = [["title/abstract", "Titles and abstracts"], ["full text", "Full texts"]];

/** @param {import("./view.js").Review} review @param {string} now */
export function staging(review, now) {
  const select = h("select", { id: "stage" }, ...STAGES.map(([value, says]) => h("option", { value, selected: value === now }, says)));
  select.addEventListener("change", async () => {
    try {
      await review.api.change({ stage: select.value });
      location.reload(); // every part of the page is of the stage
    } catch (error) {
      select.value = now;
      tellProblem(error);
    }
  });
  return h("div", { class: "row" }, h("label", { for: "stage" }, "What is judged"), select);
}
