// The records that were judged: choose some, correct them where they stand, open one with its history.

import { Problem } from "../api.js";
import { h, button, fill } from "../dom.js";
import { counted, moment, percent } from "../format.js";
import { said } from "../labels.js";
import { may } from "../me.js";
import { metaLine } from "../meta.js";
import { tell, tellProblem } from "../notices.js";
import { documentAddress, go, recordAddress, reviewAddress } from "../router.js";
import { learn } from "../titles.js";
import { chooser } from "./chooser.js";
import { LOST } from "./fullText.js";
import { asReviewer } from "./reviewer.js";
import { labelChip, thumbs, voteColumns, voteLine, words } from "./votes.js";

/** @typedef {import("./view.js").Review} Review */
/** @typedef {import("../labels.js").Label} Label */

const PAGE = 30;
const LABELLED = [["", "Any judgement"], ["relevant", "Relevant"], ["not", "Not relevant"], ["unsure", "Unsure"]];
const HOW = [["", "Settled or not"], ["conflict", "In conflict"], ["open", "Waiting for others"], ["agreed", "Agreed"],
  ["decided", "Decided"]];
const MORE = ["how", "reason", "tag", "since", "until"];
const DONE = /** @type {Record<string, string>} */ ({ undo: "undid a step: ", redo: "redid a step: ", decide: "decided: " });

/** @param {Review} review @param {string} [id] a record to open */
export function judgedPart(review, id) {
  return id ? recordPart(review, id) : listPart(review);
}

// An address may have other parameters, which are not the server's.
const FILTERS = ["label", "by", "reason", "tag", "how", "since", "until", "doubtful"];

/** @param {Review} review */
function listPart(review) {
  const given = [...new URLSearchParams(location.search)];
  const asked = new URLSearchParams(given.filter(([name]) => FILTERS.includes(name)));
  const list = h("ol", { class: "plain judged", "aria-label": "Judged records" });
  const status = h("p", { class: "status-text", role: "status" }, "Loading …");
  const more = button("Load more", () => load(list.children.length), { class: "more", hidden: true });
  const filters = h("div", { class: "row filters" });
  const again = h("input", { type: "checkbox", id: "judged-doubtful" });
  again.checked = asked.has("doubtful");
  again.addEventListener("change", () => choose("doubtful", again.checked ? "true" : ""));
  const element = h("section", { class: "stack large", "aria-label": "Judged" }, filters,
    h("p", { class: "check" }, again, h("label", { for: "judged-doubtful" },
      "Check these again: judged one way, ranked the other")),
    status, list, more);
  let turn = 0;

  /** @param {string} name @param {string} value */
  function choose(name, value) {
    if (value) asked.set(name, value);
    else asked.delete(name);
    const text = asked.toString();
    go(`${reviewAddress(review.index, review.name, "judged")}${text ? `?${text}` : ""}`, { replace: true, quiet: true });
    void load(0);
  }

  /** @param {number} offset */
  async function load(offset) {
    const mine = ++turn;
    element.setAttribute("aria-busy", "true");
    try {
      const found = await review.api.judged({ ...Object.fromEntries(asked), limit: PAGE, offset });
      if (mine !== turn) return;
      if (!offset) {
        fill(list);
        fill(filters, ...controls(found));
      }
      list.append(...found.records.map((/** @type {any} */ one) => item(review, one)));
      status.textContent = found.total ? counted(found.total, "record") : nothing(asked);
      more.hidden = list.children.length >= found.total;
    } catch (error) {
      tellProblem(error);
    } finally {
      if (mine === turn) element.removeAttribute("aria-busy");
    }
  }

  /** @param {any} found */
  function controls({ reviewers, reasons, tags }) {
    /** @param {string} name @param {string} label @param {string[][]} options */
    const choice = (name, label, options) => {
      const select = h("select", { "aria-label": label, on: { change: () => choose(name, select.value) } },
        ...options.map(([value, text]) => h("option", { value, selected: value === (asked.get(name) ?? "") }, text)));
      return select;
    };
    const day = (/** @type {string} */ name, /** @type {string} */ label) => {
      const input = h("input", { type: "date", on: { change: () => choose(name, input.value) } });
      input.value = asked.get(name) ?? "";
      return h("label", { class: "day" }, label, input);
    };
    const each = (/** @type {string[]} */ all) => all.map((one) => [one, one]);
    return [
      choice("label", "Judgement", LABELLED),
      reviewers.length > 1 && choice("by", "Reviewer", [["", "By anybody"], ...each(reviewers)]),
      h("details", { open: MORE.some((name) => asked.has(name)) }, h("summary", {}, "More filters"), h("div", { class: "row filters" },
        reviewers.length > 1 && choice("how", "Settled", HOW),
        reasons.length > 0 && choice("reason", "Reason", [["", "Any reason"], ...each(reasons)]),
        tags.length > 0 && choice("tag", "Tag", [["", "Any tag"], ...each(tags)]),
        day("since", "From"), day("until", "Before"))),
    ];
  }

  void load(0);
  return { element };
}

/** @param {URLSearchParams} asked */
function nothing(asked) {
  if (asked.has("doubtful")) return "Nothing to check: the ranking agrees with what was judged, or too little is judged yet.";
  return asked.size ? "No judged record is like that." : "Nothing is judged yet. What you judge is listed here and can be corrected.";
}

/** @param {Review} review @param {any} record */
function item(review, record) {
  const title = record.title || record.id;
  learn(review.index, record.id, title);
  const element = h("li", { "data-id": record.id });
  show();

  function show() {
    const { id, votes, decision, doubt } = record;
    const own = votes.length === 1 && !decision ? votes[0] : null;
    fill(element,
      h("div", { class: "line" }, h("h2", {}, h("a", { href: recordAddress(review.index, review.name, id) }, title)),
        may("review") && thumbs(title, record.yours, (label) => judge(label))),
      h("p", { class: "meta" }, labelChip(record.label), h("span", {}, told(record)),
        h("time", { datetime: record.at }, moment(record.at))),
      ...(own ? [...words(own.reasons, own.tags), own.note && h("p", { class: "note" }, own.note)] : []),
      doubt !== null && h("p", { class: "doubt" }, doubted(record.label, doubt)),
      !own && votes.length > 0 && voteLine(votes), decision?.note && h("p", { class: "note" }, decision.note));
  }

  /** @param {Label | null} label */
  async function judge(label) {
    if (!await corrected(review, record.id, title, label)) return;
    try {
      Object.assign(record, await review.api.record(record.id));
      show();
    } catch (error) {
      tellProblem(error);
    }
  }

  return element;
}

/** @param {any} record */
function told({ how, votes, decision }) {
  if (decision) return `decided by ${decision.by}`;
  if (how === "conflict") return "in conflict";
  if (!votes.length) return "nobody says so any more";
  if (how === "open" && votes.every((/** @type {any} */ one) => one.label !== "unsure")) return "waits for another reviewer";
  return votes.map((/** @type {any} */ one) => one.reviewer).join(", ");
}

/** @param {Label} label @param {number} doubt */
function doubted(label, doubt) {
  return label === "relevant"
    ? `Judged relevant, ranked like those that are not: ${percent(doubt)} doubtful.`
    : `Judged not relevant, ranked like those that are: ${percent(doubt)} doubtful.`;
}

/** @param {Review} review @param {string} id @param {string} title @param {Label | null} label */
async function corrected(review, id, title, label) {
  /** @param {string[]} [reasons] those given before stay, if none are */
  const judge = async (reasons) => {
    await review.api.judge({ judgements: [{ id, label, reasons }], ...asReviewer(review.reviewer()) });
    tell(`You say: “${title.slice(0, 60)}” is ${said(label)}.`);
    review.changed();
    return true;
  };
  try {
    return await judge();
  } catch (error) {
    if (label === "not" && error instanceof Problem && error.status === 422) return reasoned(review, judge);
    tellProblem(error);
    return false;
  }
}

/** A full text is excluded with a reason only. @param {Review} review @param {(reasons: string[]) => Promise<any>} judge @returns {Promise<boolean>} */
const reasoned = (review, judge) => new Promise((resolve) => chooser({
  title: "Not relevant: why?", known: [...review.protocol().reasons, LOST], chosen: [], other: "Another reason",
  done: "Not relevant", onDone: (reasons) => judge(reasons).then(resolve), onCancel: () => resolve(false),
}));

/** @param {Review} review @param {string} id */
function recordPart(review, id) {
  const element = h("article", { class: "stack large one-record", "aria-label": "Record", "aria-busy": "true" });
  const load = () => review.api.record(id).then(show, (error) => fill(element, h("p", { class: "bad" }, error.message)))
    .finally(() => element.removeAttribute("aria-busy"));

  /** @param {any} found */
  function show(found) {
    const title = found.title || found.id;
    const judge = async (/** @type {Label | null} */ label) => await corrected(review, id, title, label) && load();
    fill(element,
      h("p", {}, h("a", { href: reviewAddress(review.index, review.name, "judged") }, "All judged records")),
      h("h2", {}, h("a", { href: documentAddress(review.index, id) }, title)), metaLine(id, found.fields),
      h("p", { class: "abstract" }, found.text || "There is no abstract."),
      may("review") && h("p", { class: "row" }, h("span", { class: "muted" }, "You say:"), thumbs(title, found.yours, judge)),
      (found.votes.length > 0 || found.decision) && voteColumns(found.votes, found.decision),
      h("h3", {}, "History"), found.history.length
        ? h("ol", { class: "plain history" }, ...found.history.toReversed().map(step))
        : h("p", { class: "muted" }, "Nobody has judged it yet, or you may not see it before you have."));
  }

  void load();
  return { element };
}

/** @param {any} one */
function step({ at, by, what, label, reasons, note, tags }) {
  const did = what === "note" ? `${by} wrote` : `${by} ${DONE[what] ?? "judged: "}`;
  return h("li", {}, h("p", { class: "change" }, h("time", { class: "muted", datetime: at }, moment(at)), h("span", {}, did),
    what !== "note" && labelChip(label)), ...words(reasons, tags ?? []), note && h("p", { class: "note" }, note));
}
