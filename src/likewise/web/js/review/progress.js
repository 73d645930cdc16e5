// How far a review is: what was judged, what was found, and estimates of recall.

import { details } from "../details.js";
import { h, fill } from "../dom.js";
import { count, counted, sentence } from "../format.js";
import { said } from "../labels.js";
import { may } from "../me.js";
import { panel } from "../panel.js";
import { reviewAddress } from "../router.js";
import { gainChart } from "./chart.js";
import { recallBand } from "./recall.js";
import { judgedTotal, tally } from "./tally.js";

/** The short form beside the page. @param {import("./view.js").Review} review */
export function progressPanel(review) {
  const body = h("div", { class: "stack" });
  const element = panel("Progress", {}, body);
  let running = false;
  let again = false;

  /** Never two at a time: what changes meanwhile is asked for when the first is there. */
  async function refresh() {
    again = running;
    if (running) return;
    running = true;
    try {
      fill(body, ...brief(await review.api.stats()));
    } catch (error) {
      fill(body, h("p", { class: "bad" }, error instanceof Error ? error.message : ""));
    }
    running = false;
    if (again) void refresh();
  }

  return { element, refresh };
}

/** @param {any} stats */
function brief(stats) {
  const { judged, documents, gain, estimates } = stats;
  const total = judgedTotal(judged);
  return [
    h("dl", { class: "counts" }, ...figure("relevant", judged.relevant), ...figure("not", judged.others),
      ...figure("unsure", judged.undecided)),
    tally(judged, documents),
    h("p", { class: "muted" }, `${count(total)} of ${counted(documents, "document")} judged`),
    gain.length > 1 && gainChart([0, ...gain], { small: true }),
    estimates.some(hasRecall) && recallBand(best(estimates)),
  ];
}

/** @param {any} estimate */
const hasRecall = ({ recall }) => recall !== null;

/** That of a random sample, which assumes least, or else the first. @param {any[]} estimates */
const best = (estimates) =>
  estimates.filter(hasRecall).sort((a, b) => Number(b.rule === "sample") - Number(a.rule === "sample"))[0];

/** @param {string} kind @param {number} number */
const figure = (kind, number) => [h("div", { class: kind }, h("dt", {}, said(/** @type {any} */ (kind))), h("dd", {}, count(number)))];

/** @param {import("./view.js").Review} review */
export function progressPart(review) {
  const element = h("section", { class: "stack large", "aria-label": "Progress in full", "aria-busy": "true" });
  review.api.stats().then((stats) => fill(element, ...full(stats, review)),
    (error) => fill(element, h("p", { class: "bad" }, error.message)))
    .finally(() => element.removeAttribute("aria-busy"));
  return { element };
}

/** @param {any} stats @param {import("./view.js").Review} review */
function full({ gain, estimates }, review) {
  if (!gain.length) {
    return [h("div", { class: "empty" }, h("h2", {}, "Nothing is judged yet"),
      h("p", {}, "As you judge, a curve shows how many relevant documents you find. When it goes flat, few are left."))];
  }
  return [
    h("h2", {}, "Relevant documents found"), gainChart([0, ...gain]),
    h("p", { class: "muted" }, "Relevant documents against documents judged, in the order of judging. ",
      "On the dashed line every document is relevant; a flat curve means that few are left."),
    h("h2", {}, "Should you stop?"),
    ...(estimates.length ? estimates.map(estimated) : [h("p", { class: "muted" }, "Too few documents are judged for an estimate.")]),
    may("review") && h("p", {}, "Judging a random page gives an estimate that does not depend on the ranking. ",
      h("a", { href: `${reviewAddress(review.index, review.name)}?sample` }, "Judge a random page")),
  ];
}

/** @param {any} estimate */
function estimated(estimate) {
  const verdict = estimate.stop ? "stop here" : "go on";
  return h("div", { class: "estimate" },
    h("h3", {}, h("span", { class: `label ${estimate.stop ? "relevant" : ""}` }, verdict), ` says the rule ${estimate.rule}`),
    (hasRecall(estimate) || estimate.low !== null) && recallBand(estimate),
    h("p", { class: "muted" }, sentence(estimate.because)),
    details([["Published in", estimate.source]]));
}

