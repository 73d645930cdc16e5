// How far a review is: whether to stop, what was judged, what was found.

import { h, fill } from "../dom.js";
import { count, counted, sentence } from "../format.js";
import { said } from "../labels.js";
import { may } from "../me.js";
import { panel } from "../panel.js";
import { asTable, gainChart, sinceChart } from "./chart.js";
import { recallBand } from "./recall.js";
import { samplePart } from "./sampling.js";
import { judgedTotal, tally } from "./tally.js";

/** The short form beside the page. @param {import("./view.js").Review} review */
export function progressPanel(review) {
  const body = h("div", { class: "stack" });
  const element = panel("Progress", {}, body);
  const line = h("div", { class: "stop-line" }); // where the panel is folded
  let running = false;
  let again = false;

  /** Never two at a time: what changes meanwhile is asked for when the first is there. */
  async function refresh() {
    again = running;
    if (running) return;
    running = true;
    try {
      const stats = await review.api.stats();
      fill(body, ...brief(stats));
      fill(line, verdict(stats.stopping), tally(stats.judged, stats.documents),
        stats.blind && !stats.gain.length && h("p", { class: "muted about" }, stats.note));
    } catch (error) {
      fill(body, h("p", { class: "bad" }, error instanceof Error ? error.message : ""));
    }
    running = false;
    if (again) void refresh();
  }

  return { element, line, refresh };
}

/** @param {any} stats */
function brief(stats) {
  const { gain, stopping, estimates } = stats;
  return [
    verdict(stopping),
    ...far(stats),
    gain.length > 1 && gainChart([0, ...gain], { small: true }),
    known(estimates).length > 0 && h("details", { class: "details" }, h("summary", {}, "Details"),
      h("div", { class: "stack" }, ...known(estimates).map(recallBand))),
  ];
}

/** How many of what was judged, and whose judgements these are. @param {any} stats */
const far = ({ judged, documents, blind, note }) => [
  h("dl", { class: "counts" }, ...figure("relevant", judged.relevant), ...figure("not", judged.others),
    ...figure("unsure", judged.undecided)),
  tally(judged, documents),
  h("p", { class: "muted" }, `${count(judgedTotal(judged))} of ${counted(documents, "record")} judged${blind ? " by you" : ""}`),
  note && h("p", { class: "muted" }, note),
];

/** Whether to stop, in one sentence. @param {any} stopping */
const verdict = (stopping) => h("p", { class: stopping.stop ? "verdict stop" : "verdict" }, stopping.sentence.replaceAll(" %", "\u00a0%"));

/** Those that have something to say. @param {any[]} estimates */
const known = (estimates) => estimates.filter(({ low }) => low !== null);

/** @param {string} kind @param {number} number */
const figure = (kind, number) => [h("div", { class: kind }, h("dt", {}, said(/** @type {any} */ (kind))), h("dd", {}, count(number)))];

/** @param {import("./view.js").Review} review */
export function progressPart(review) {
  const element = h("section", { class: "stack large", "aria-label": "Progress in full", "aria-busy": "true" }, h("p", { class: "muted" }, "Loading …"));
  review.api.stats().then((stats) => fill(element, ...full(stats, review)),
    (error) => fill(element, h("p", { class: "bad" }, error.message)))
    .finally(() => element.removeAttribute("aria-busy"));
  return { element };
}

/** @param {any} stats @param {import("./view.js").Review} review */
function full(stats, review) {
  const { gain, stopping, estimates, documents, judged, note } = stats;
  if (!gain.length) {
    return [h("div", { class: "empty" }, h("h2", {}, "Nothing is judged yet"),
      h("p", {}, "As you judge, a curve shows how many relevant records you find. When it goes flat, few are left."),
      note && h("p", { class: "muted" }, note))];
  }
  const left = documents - judgedTotal(judged);
  const curve = [0, ...gain];
  return [
    verdict(stopping),
    bounds(estimates),
    h("div", { class: "stack so-far" }, ...far(stats)),
    may("review") && left > 0 && samplePart(review, left),
    h("h2", {}, "Since the last relevant one"), sinceChart(curve),
    h("p", { class: "muted" }, "Records judged since the last relevant one, in the order of judging. Long stretches without one mean that few are left."),
    h("h2", {}, "Relevant records found"), gainChart(curve),
    h("p", { class: "muted" }, "Relevant records against records judged, in the order of judging. ",
      "On the dashed line every record is relevant; a flat curve means that few are left."),
    asTable(curve),
  ];
}

/** What the sentence rests on. @param {any[]} estimates */
function bounds(estimates) {
  return h("details", { class: "details" }, h("summary", {}, "Details"),
    h("div", { class: "stack" }, ...estimates.map(bound),
      h("p", {}, "You can stop when one of these shows that at least 95 % are found. Other published estimates were measured, too; ",
        "those that were wrong too often are not shown. The manual has all numbers, under “When to stop”.")));
}

/** @type {Record<string, string>} */
const NAMES = { "ranked urn": "By how long nothing relevant came", "random sample": "By records drawn at random" };

/** Rounded down. @param {number} share */
const tenths = (share) => `${(Math.floor(1000 * share + 1e-9) / 10).toFixed(1)}\u00a0%`;

/** @param {any} estimate */
function bound(estimate) {
  return h("div", { class: "estimate" },
    h("h3", {}, NAMES[estimate.rule] ?? estimate.rule),
    recallBand(estimate),
    h("p", {}, sentence(estimate.because)),
    estimate.held !== null && h("p", {}, `On 23 reviews whose outcome is known, such bounds were right at ${tenths(estimate.held)} of all moments.`),
    h("p", {}, estimate.source));
}
