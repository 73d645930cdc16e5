// Check with a random sample: how many to draw, and what they would tell.

import { h, fill } from "../dom.js";
import { count, counted } from "../format.js";
import { go, reviewAddress } from "../router.js";
import { atLeast } from "./recall.js";

const SIZE = 200;
const MOST = 1000; // on one page

/** @param {import("./view.js").Review} review @param {number} left documents that nobody has judged */
export function samplePart(review, left) {
  const most = Math.min(MOST, left);
  const size = h("input", { id: "sample-size", type: "number", min: 1, max: most, value: Math.min(SIZE, most), required: true });
  const tells = h("p", { class: "muted", id: "sample-tells", role: "status" });
  let asked = 0;

  async function tell() {
    const turn = ++asked;
    if (!size.checkValidity()) return fill(tells, `Choose 1 to ${count(most)}.`);
    const told = await review.api.prospect(Number(size.value)).catch(() => null);
    if (turn === asked) fill(tells, ...(told ? prospect(told) : []));
  }

  const element = h("form", {
    class: "stack sampling",
    on: {
      submit: (/** @type {Event} */ event) => {
        event.preventDefault();
        go(`${reviewAddress(review.index, review.name)}?sample=${Number(size.value)}`);
      },
    },
  },
    h("h2", {}, "Check with a random sample"),
    h("p", {}, "Judge some records drawn at random from those that nobody has judged. Whatever the ranking is worth, ",
      "they tell how many relevant ones are left, and you may look at the result as often as you like."),
    h("div", { class: "row" }, h("label", { for: "sample-size" }, "Records to draw"), size,
      h("button", { class: "primary", type: "submit" }, "Draw at random")),
    tells);
  size.setAttribute("aria-describedby", "sample-tells");
  size.addEventListener("input", tell);
  void tell();
  return element;
}

/** @param {any} told */
function prospect({ size, low, needed, target }) {
  if (low === null) return ["While nothing relevant is found, a sample cannot tell how much of it you have."];
  const best = `If none of ${counted(size, "record")} is relevant, at least ${atLeast(low)} of the relevant ones are found. `;
  if (needed === null || low >= target) return [best];
  return [best, `For ${atLeast(target)} it takes ${count(needed)}. Each relevant one in the sample makes the answer lower and less sharp.`];
}
