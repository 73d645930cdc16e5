// What reviewers say of a record, side by side, and what was decided.

import { h, icon } from "../dom.js";
import { moment } from "../format.js";
import { LABELS, said } from "../labels.js";

/** @typedef {import("../labels.js").Label} Label */
/** @typedef {{ reviewer: string, label: Label, at: string, reasons: string[], note: string, tags: string[] }} Vote */
/** @typedef {{ label: Label, reasons: string[], note: string, by: string, at: string }} Decision */

/** @param {Label | null} label */
export const labelChip = (label) => h("span", { class: `label ${label ?? "none"}` }, said(label));

/** @param {Vote[]} votes @param {Decision | null} [decision] */
export function voteColumns(votes, decision = null) {
  const columns = votes.map(({ reviewer, at, ...one }) => column(reviewer, one, at));
  if (decision) columns.push(column(`${decision.by} decided`, { tags: [], ...decision }, decision.at, "decision"));
  return h("div", { class: "votes" }, ...columns);
}

/** @param {string} who @param {{ label: Label, reasons: string[], note: string, tags: string[] }} one @param {string} at @param {string} [kind] */
function column(who, { label, reasons, note, tags }, at, kind = "") {
  return h("div", { class: `vote ${kind}` },
    h("p", { class: "who" }, h("strong", {}, who), labelChip(label)),
    ...words(reasons, tags), note && h("p", { class: "note" }, note),
    h("p", { class: "when" }, h("time", { datetime: at }, moment(at))));
}

/** The same in one line. @param {Vote[]} votes */
export const voteLine = (votes) => h("p", { class: "row vote-line" }, ...votes.map(({ reviewer, label, reasons, tags }) =>
  h("span", {}, `${reviewer}: `, labelChip(label), ...words(reasons, tags).flatMap((one) => [" ", ...one.childNodes]))));

/** @param {string[]} reasons @param {string[]} tags */
export function words(reasons, tags) {
  const chips = [...reasons.map((one) => h("span", { class: "label not" }, one)),
    ...tags.map((one) => h("span", { class: "label tag" }, one))];
  return chips.length ? [h("p", { class: "beside" }, ...chips)] : [];
}

/**
 * One's own judgement, to be corrected where it stands.
 * @param {string} title
 * @param {Label | null} now
 * @param {(label: Label | null) => void} onJudge
 */
export function thumbs(title, now, onJudge) {
  const buttons = LABELS.map(({ label, says, picture }) => h("button", {
    type: "button", class: `thumb ${label}`, "aria-pressed": String(label === now), "aria-label": `${says}: ${title}`, title: says,
    on: { click: () => onJudge(label === now ? null : label) },
  }, icon(picture)));
  return h("div", { class: "thumbs", role: "group", "aria-label": "Your judgement" }, ...buttons);
}
