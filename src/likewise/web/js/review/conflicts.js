// Where reviewers differ: which documents, and how well they agree on the whole.

import { h, button, fill } from "../dom.js";
import { count } from "../format.js";
import { LABELS, said } from "../labels.js";
import { may } from "../me.js";
import { tell, tellProblem } from "../notices.js";
import { documentAddress } from "../router.js";
import { asReviewer } from "./reviewer.js";

/** @param {import("./view.js").Review} review */
export function conflictsPart(review) {
  const element = h("section", { class: "stack large", "aria-label": "Conflicts", "aria-busy": "true" });
  const load = () => review.api.conflicts().then(
    (found) => fill(element, ...parts(review, found, load)),
    (error) => fill(element, h("p", { class: "bad" }, error.message)),
  ).finally(() => element.removeAttribute("aria-busy"));
  void load();
  return { element };
}

/** @param {import("./view.js").Review} review @param {any} found @param {() => void} reload */
function parts(review, { conflicts, agreement }, reload) {
  return [
    h("h2", {}, "Judged differently"),
    conflicts.length
      ? h("ol", { class: "plain conflicts" }, ...conflicts.map((/** @type {any} */ one) => conflict(review, one, reload)))
      : h("p", { class: "muted" }, "There is none. Documents that reviewers judge differently are listed here, to talk about."),
    ...(agreement.length ? [h("h2", {}, "Agreement"), table(agreement)] : []),
  ];
}

/** @param {import("./view.js").Review} review @param {any} one @param {() => void} reload */
function conflict(review, { id, title, labels }, reload) {
  const link = h("a", { href: documentAddress(review.index, id) }, title || id);
  const say = (/** @type {any} */ label) => async () => {
    try {
      await review.api.judge({ judgements: [{ id, label }], ...asReviewer(review.reviewer()) });
      tell(`You say: ${said(label)}.`);
      review.changed();
      reload();
    } catch (error) {
      tellProblem(error);
    }
  };
  return h("li", {}, h("p", {}, link),
    h("p", { class: "row" }, ...Object.entries(labels).map(([who, label]) =>
      h("span", {}, `${who}: `, h("span", { class: `label ${label}` }, said(/** @type {any} */ (label)))))),
    may("review") && h("p", { class: "row" }, h("span", { class: "muted" }, "Yours:"),
      ...LABELS.map(({ label, says }) => button(says, say(label), { class: "small" }))));
}

/** @param {any[]} agreement */
function table(agreement) {
  return h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Reviewers"), h("th", { scope: "col" }, "Both judged"),
      h("th", { scope: "col" }, "Cohen’s κ"))),
    h("tbody", {}, ...agreement.map(({ reviewers, documents, kappa }) => h("tr", {},
      h("th", { scope: "row" }, reviewers.join(" and ")), h("td", { class: "number" }, count(documents)),
      h("td", { class: "number" }, kappa === null ? "not defined" : kappa.toFixed(2))))));
}
