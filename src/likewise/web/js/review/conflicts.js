// Where reviewers differ: each record with its abstract and what they say side by side, and a decision.

import { h, button, fill } from "../dom.js";
import { count } from "../format.js";
import { LABELS, said } from "../labels.js";
import { may } from "../me.js";
import { metaLine } from "../meta.js";
import { tell, tellProblem } from "../notices.js";
import { recordAddress } from "../router.js";
import { asReviewer } from "./reviewer.js";
import { voteColumns } from "./votes.js";

/** @typedef {import("./view.js").Review} Review */

/** @param {Review} review */
export function conflictsPart(review) {
  const element = h("section", { class: "stack large", "aria-label": "Conflicts", "aria-busy": "true" });
  const load = () => review.api.conflicts().then(
    (found) => fill(element, ...parts(review, found, load)),
    (error) => fill(element, h("p", { class: "bad" }, error.message)),
  ).finally(() => element.removeAttribute("aria-busy"));
  void load();
  return { element };
}

/** @param {Review} review @param {any} found @param {() => void} reload */
function parts(review, { conflicts, decided, decides, decider, agreement, alpha, total }, reload) {
  const may_ = { decides: decides && may("review"), decider };
  return [
    h("h2", {}, total ? `Judged differently: ${count(total)}` : "Judged differently"),
    conflicts.length
      ? h("ol", { class: "plain conflicts" }, ...conflicts.map((/** @type {any} */ one) => conflict(review, one, may_, reload)))
      : h("p", { class: "muted" }, "There is none. Records that reviewers judge differently are listed here, for a decision."),
    decided.length > 0 && h("details", { class: "decided" }, h("summary", {}, `Decided: ${count(decided.length)}`),
      h("ol", { class: "plain decisions" }, ...decided.map((/** @type {any} */ one) => settled(review, one, may_, reload)))),
    ...(agreement.length ? [h("h2", {}, "Agreement"), agreementTable(agreement, alpha)] : []),
  ];
}

/** @param {Review} review @param {any} one @param {{ decides: boolean, decider: string }} may_ @param {() => void} reload */
function conflict(review, { id, title, text, fields, votes }, may_, reload) {
  return h("li", {},
    h("h3", {}, h("a", { href: recordAddress(review.index, review.name, id) }, title || id)), metaLine(id, fields),
    text && h("details", { class: "abstract", open: true }, h("summary", {}, "Abstract"), h("p", {}, text)),
    voteColumns(votes),
    may_.decides ? deciding(review, id, reload) : own(review, id, may_.decider, reload));
}

/** For the person who decides. @param {Review} review @param {string} id @param {() => void} reload */
function deciding(review, id, reload) {
  const reason = h("input", { "aria-label": "Reason for exclusion", placeholder: "Reason (optional)", list: "conflict-reasons", maxlength: 200 });
  const note = h("input", { "aria-label": "Note on the decision", placeholder: "Note (optional)", class: "wide" });
  const decide = (/** @type {any} */ label) => async () => {
    const why = reason.value.trim();
    await act(() => review.api.decide({
      id, label, reasons: why && label !== "relevant" ? [why] : [], note: note.value.trim(), ...asReviewer(review.reviewer()),
    }), `Decided: ${said(label)}.`, review, reload);
  };
  return h("div", { class: "deciding" }, h("div", { class: "row" }, h("span", { class: "muted" }, "You decide:"),
    ...LABELS.slice(0, 2).map(({ label, says }) => button(says, decide(label), { class: `small decide ${label}` }))),
    h("div", { class: "row" }, reason, note,
      h("datalist", { id: "conflict-reasons" }, ...review.protocol().reasons.map((one) => h("option", { value: one })))));
}

/** For everybody else: to change one's own vote. @param {Review} review @param {string} id @param {string} decider @param {() => void} reload */
function own(review, id, decider, reload) {
  const say = (/** @type {any} */ label) => () => act(
    () => review.api.judge({ judgements: [{ id, label }], ...asReviewer(review.reviewer()) }), `You say: ${said(label)}.`,
    review, reload);
  return may("review") && h("p", { class: "row" },
    h("span", { class: "muted" }, `${decider ? `${decider} decides. ` : ""}Change yours:`),
    ...LABELS.map(({ label, says }) => button(says, say(label), { class: "small" })));
}

/** @param {Review} review @param {any} one @param {{ decides: boolean }} may_ @param {() => void} reload */
function settled(review, { id, title, votes, decision }, { decides }, reload) {
  const back = () => act(() => review.api.decide({ id, label: null, ...asReviewer(review.reviewer()) }),
    "The decision is taken back.", review, reload);
  return h("li", {}, h("h3", {}, h("a", { href: recordAddress(review.index, review.name, id) }, title || id)),
    voteColumns(votes, decision), decides && h("p", {}, button("Take the decision back", back, { class: "link" })));
}

/** @param {() => Promise<any>} work @param {string} done @param {Review} review @param {() => void} reload */
async function act(work, done, review, reload) {
  try {
    await work();
    tell(done);
    review.changed();
    reload();
  } catch (error) {
    tellProblem(error);
  }
}

/** @param {any[]} agreement @param {number | null} alpha */
export function agreementTable(agreement, alpha) {
  const figure = (/** @type {number | null} */ value) => (value === null ? "not defined" : value.toFixed(2));
  return h("div", { class: "stack" }, h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Reviewers"), h("th", { scope: "col" }, "Both judged"),
      h("th", { scope: "col" }, "Said the same"), h("th", { scope: "col" }, "Cohen’s κ"))),
    h("tbody", {}, ...agreement.map(({ reviewers, documents, agreed, kappa }) => h("tr", {},
      h("th", { scope: "row" }, reviewers.join(" and ")), h("td", { class: "number" }, count(documents)),
      h("td", { class: "number" }, count(agreed)), h("td", { class: "number" }, figure(kappa)))))),
    h("p", { class: "muted" }, `All together, with what is not judged by everybody: Krippendorff’s α ${figure(alpha)}.`));
}
