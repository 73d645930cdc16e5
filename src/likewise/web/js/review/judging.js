// The page to judge. Each judgement is kept by the server before anything else happens; the last
// one of a page brings the next page along.

import * as api from "../api.js";
import { details, described } from "../details.js";
import { h, button, fill } from "../dom.js";
import { card } from "../card.js";
import { counted, count, seconds, sentence } from "../format.js";
import { said } from "../labels.js";
import { tell, tellProblem } from "../notices.js";
import { go, reviewAddress } from "../router.js";
import { titleOf } from "../titles.js";
import { markSnippets } from "../why/marks.js";
import { asReviewer } from "./reviewer.js";
import { selection } from "./selection.js";

/** @typedef {ReturnType<typeof card>} Card */
/** @typedef {"relevant" | "not" | "unsure" | null} Label */

/** @param {import("./view.js").Review} review */
export function judgePart(review) {
  /** @type {Card[]} */
  let cards = [];
  /** One request after the other, in the order of the clicks. @type {Promise<any>} */
  let last = Promise.resolve();
  let turning = false; // the next page is on its way: keys wait for it
  let closed = false;
  const status = h("p", { class: "status-text", role: "status" }, "Loading …");
  const undo = button("Undo", () => step("undo"), { icon: "undo", class: "quiet" });
  const redo = button("Redo", () => step("redo"), { icon: "redo", class: "quiet" });
  const how = h("div", { class: "how" });
  const list = h("ol", { class: "cards" });
  const pass = button("Next page", () => enqueue(async () => turn(await review.api.next(who()))), { class: "more" });
  const element = h("section", { "aria-label": "Documents to judge" },
    h("div", { class: "status" }, status, h("div", { class: "row" }, undo, redo), how), list, pass);
  const chosen = selection(() => cards);
  const who = () => asReviewer(review.reviewer());

  /** @param {any} page */
  function show(page) {
    turning = false;
    if (closed) return;
    cards = page.hits.map(cardOf);
    fill(list, ...cards.map((one) => one.element));
    if (!cards.length) fill(list, finished());
    pass.hidden = !cards.length;
    fill(status, summary(page));
    fill(how);
    if (cards.length) chosenBy(page).then((facts) => fill(how, facts), tellProblem);
    chosen.first();
    void markSnippets(review.index, cards);
  }

  /** @param {any} hit @param {number} i */
  function cardOf(hit, i) {
    return card(hit, { index: review.index, rank: hit.rank ?? i + 1, label: hit.label ?? null, onJudge: judge });
  }

  /** @param {string} id @param {Label} label */
  function judge(id, label) {
    const judged = cards.find(({ hit }) => hit.id === id);
    if (!judged) return;
    const before = judged.hit.label ?? null;
    setLabel(judged, label);
    const goesOn = !turning && label !== null && cards.every(({ hit }) => hit.label);
    turning ||= goesOn;
    enqueue(async () => {
      const answer = await review.api.judge({ judgements: [{ id, label }], ...who() }, goesOn);
      if (answer.page) turn(answer.page);
      review.changed();
    }, () => {
      setLabel(judged, before);
      turning = false;
    });
  }

  /** @param {any} page */
  function turn(page) {
    show(page);
    window.scrollTo({ top: 0 });
    chosen.focus();
  }

  /** @param {Card} one @param {Label} label */
  function setLabel(one, label) {
    one.hit.label = label;
    one.setLabel(label);
  }

  /** @param {"undo" | "redo"} which */
  function step(which) {
    enqueue(async () => {
      const { changes } = await review.api.step(which, who());
      for (const change of changes) await apply(change);
      const [one] = changes;
      const title = one && shortened(await titleOf(review.index, one.id));
      tell(changes.length === 1 ? `${which === "undo" ? "Undone" : "Redone"}: “${title}” is ${said(one.after)}.`
        : `${counted(changes.length, "judgement")} changed.`);
      review.changed();
    });
  }

  /** What is not on the page any more comes back to its top. @param {any} change */
  async function apply({ id, after }) {
    const there = cards.find(({ hit }) => hit.id === id);
    if (there) {
      setLabel(there, after);
      chosen.at(cards.indexOf(there));
      return;
    }
    const { title, text, fields } = await api.document_(review.index, id);
    const hit = { id, title, fields, snippet: text.slice(0, 420), label: after, terms: null, others: null, score: 0, rank: 0 };
    const made = card(hit, { index: review.index, rank: "↩", label: after, onJudge: judge });
    cards.unshift(made);
    list.prepend(made.element);
    chosen.at(0);
  }

  /** @param {() => Promise<any>} task @param {() => void} [onFailure] */
  function enqueue(task, onFailure) {
    last = last.then(task).catch((error) => {
      onFailure?.();
      tellProblem(error);
    });
  }

  /** @param {Label} label */
  const judgeChosen = (label) => () => {
    const one = chosen.get();
    if (!one || turning) return;
    const last = cards.every((other) => other === one || other.hit.label);
    judge(one.hit.id, label);
    if (!last) chosen.nextUnjudged();
  };

  const sampled = new URLSearchParams(location.search).has("sample");
  enqueue(async () => show(await (sampled ? sample() : review.api.page(review.reviewer()))),
    () => fill(status, "There is no page to judge."));

  /** A random page, once: a reload shows the same one again. */
  function sample() {
    go(reviewAddress(review.index, review.name), { replace: true, quiet: true });
    return review.api.next({ ...who(), random: true });
  }

  return {
    element,
    close() {
      closed = true;
    },
    keys: {
      relevant: judgeChosen("relevant"), not: judgeChosen("not"), unsure: judgeChosen("unsure"),
      next: () => chosen.move(1), previous: () => chosen.move(-1), why: () => chosen.get()?.toggleWhy(),
      undo: () => step("undo"), redo: () => step("redo"),
    },
  };
}

/** @param {string} text */
const shortened = (text) => (text.length > 60 ? `${text.slice(0, 58).trimEnd()} …` : text);

/** @param {any} page */
function summary({ number, method, reason, hits }) {
  if (!hits.length) return sentence(reason || "nothing is left to judge");
  return `Page ${count(number)}${method === "random" ? ", a random sample" : ""}`;
}

/** @param {any} page */
async function chosenBy({ method, reason, seconds: spent }) {
  const { feedback } = await api.methods();
  return details([["Method", described(feedback, method)], ["Why this method", reason], ["Time", seconds(spent)]]);
}

function finished() {
  return h("li", { class: "empty" }, h("h2", {}, "Nothing is left to judge"),
    h("p", {}, "Every document of the index was shown to you. Export what you have found."));
}
