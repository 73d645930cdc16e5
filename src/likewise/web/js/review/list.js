// The reviews of an index: begin one, or go on with one.

import * as api from "../api.js";
import { h, fill } from "../dom.js";
import { count, counted, moment } from "../format.js";
import { may } from "../me.js";
import { reviewAddress } from "../router.js";
import { createForm } from "./create.js";

/** @param {{ index: string }} place @param {any} info */
export function listView({ index }, info) {
  const title = `Reviews of ${info?.title ?? index}`;
  const list = h("div", { class: "stack", "aria-busy": "true" });
  const element = h("div", { class: "narrow reviews" },
    h("h1", {}, title), list, may("review") && createForm(index));
  const choices = (/** @type {any[]} */ found) => h("ul", { class: "plain choices" }, ...found.map((one) => listed(index, one)));
  api.reviews(index).list().then((found) => {
    const [now, before] = [false, true].map((is) => found.filter((/** @type {any} */ one) => Boolean(one.archived) === is));
    fill(list, now.length ? choices(now) : teach(),
      before.length > 0 && h("details", { class: "details" }, h("summary", {}, `Archived (${count(before.length)})`), choices(before)));
  }, (error) => fill(list, h("p", { class: "bad" }, error.message)))
    .finally(() => list.removeAttribute("aria-busy"));
  return { title, element };
}

/** @param {string} index @param {any} review */
function listed(index, review) {
  const facts = [
    !review.events && "nothing judged yet",
    review.reviewers > 1 && counted(review.reviewers, "reviewer"),
    review.last ? `last used ${moment(review.last)}` : `begun ${moment(review.created)}`,
  ].filter(Boolean);
  return h("li", {}, h("a", { class: "choice review", href: reviewAddress(index, review.name) },
    h("strong", {}, review.name),
    h("span", { class: "muted" }, facts.join(" · "))));
}

function teach() {
  return h("p", { class: "lead" }, "A review keeps your judgements. It shows a page of records, learns from what you say about ",
    "them, and shows a better page. You can stop at any time and go on later, alone or with others.");
}
