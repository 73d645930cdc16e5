// The page to judge. The server keeps each judgement before anything else happens; the last one of
// a page brings the next page along.

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
/** @typedef {import("./view.js").Review} Review */

/** @param {Review} review */
export const judgePart = (review) => new JudgePart(review);

class JudgePart {
  /** @type {Card[]} */
  cards = [];
  /** One request after the other, in the order of the clicks. @type {Promise<any>} */
  last = Promise.resolve();
  turning = false; // the next page is on its way: keys wait for it
  closed = false;
  status = h("p", { class: "status-text", role: "status" }, "Loading …");
  how = h("div", { class: "how" });
  list = h("ol", { class: "cards" });
  chosen = selection(() => this.cards);
  keys = {
    relevant: () => this.judgeChosen("relevant"),
    not: () => this.judgeChosen("not"),
    unsure: () => this.judgeChosen("unsure"),
    next: () => this.chosen.move(1),
    previous: () => this.chosen.move(-1),
    why: () => this.chosen.get()?.toggleWhy(),
    undo: () => this.step("undo"),
    redo: () => this.step("redo"),
  };

  /** @param {Review} review */
  constructor(review) {
    this.review = review;
    const undo = button("Undo", () => this.step("undo"), { icon: "undo", class: "quiet" });
    const redo = button("Redo", () => this.step("redo"), { icon: "redo", class: "quiet" });
    this.pass = button("Next page", () => this.passOver(), { class: "more" });
    this.element = h("section", { "aria-label": "Documents to judge" },
      h("div", { class: "status" }, this.status, h("div", { class: "row" }, undo, redo), this.how), this.list, this.pass);
    this.enqueue(async () => this.show(await this.first()), () => fill(this.status, "There is no page to judge."));
  }

  close() {
    this.closed = true;
  }

  who() {
    return asReviewer(this.review.reviewer());
  }

  /** The page to judge, or a random one, once: a reload shows the same one again. */
  first() {
    const { index, name, api: routes, reviewer } = this.review;
    const size = new URLSearchParams(location.search).get("sample");
    if (size === null) return routes.page(reviewer());
    go(reviewAddress(index, name), { replace: true, quiet: true });
    return routes.next({ ...this.who(), random: true, ...(Number(size) && { size: Number(size) }) });
  }

  passOver() {
    this.enqueue(async () => this.turn(await this.review.api.next(this.who())));
  }

  /** @param {any} page */
  show(page) {
    this.turning = false;
    if (this.closed) return;
    this.cards = page.hits.map((/** @type {any} */ hit, /** @type {number} */ i) => this.cardOf(hit, hit.rank ?? i + 1));
    fill(this.list, ...this.cards.map((one) => one.element));
    if (!this.cards.length) fill(this.list, finished());
    this.pass.hidden = !this.cards.length;
    fill(this.status, summary(page));
    fill(this.how);
    if (this.cards.length) chosenBy(page).then((facts) => fill(this.how, facts), tellProblem);
    this.chosen.first();
    void markSnippets(this.review.index, this.cards);
  }

  /** @param {any} page */
  turn(page) {
    this.show(page);
    window.scrollTo({ top: 0 });
    this.chosen.focus();
  }

  /** @param {any} hit @param {number | string} rank */
  cardOf(hit, rank) {
    const onJudge = (/** @type {string} */ id, /** @type {Label} */ label) => this.judge(id, label);
    return card(hit, { index: this.review.index, rank, label: hit.label ?? null, onJudge });
  }

  /** @param {string} id @param {Label} label */
  judge(id, label) {
    const judged = this.cards.find(({ hit }) => hit.id === id);
    if (!judged) return;
    const before = judged.hit.label ?? null;
    setLabel(judged, label);
    const goesOn = !this.turning && label !== null && this.cards.every(({ hit }) => hit.label);
    this.turning ||= goesOn;
    this.enqueue(async () => {
      const answer = await this.review.api.judge({ judgements: [{ id, label }], ...this.who() }, goesOn);
      if (answer.page) this.turn(answer.page);
      this.review.changed();
    }, () => {
      setLabel(judged, before);
      this.turning = false;
    });
  }

  /** @param {Label} label */
  judgeChosen(label) {
    const one = this.chosen.get();
    if (!one || this.turning) return;
    const isLast = this.cards.every((other) => other === one || other.hit.label);
    this.judge(one.hit.id, label);
    if (!isLast) this.chosen.nextUnjudged();
  }

  /** @param {"undo" | "redo"} which */
  step(which) {
    this.enqueue(async () => {
      const { changes } = await this.review.api.step(which, this.who());
      for (const change of changes) await this.apply(change);
      const [one] = changes;
      const title = one && shortened(await titleOf(this.review.index, one.id));
      tell(changes.length === 1 ? `${which === "undo" ? "Undone" : "Redone"}: “${title}” is ${said(one.after)}.`
        : `${counted(changes.length, "judgement")} changed.`);
      this.review.changed();
    });
  }

  /** What is not on the page any more comes back to its top. @param {any} change */
  async apply({ id, after }) {
    const there = this.cards.find(({ hit }) => hit.id === id);
    if (there) {
      setLabel(there, after);
      this.chosen.at(this.cards.indexOf(there));
      return;
    }
    const { title, text, fields } = await api.document_(this.review.index, id);
    const hit = { id, title, fields, snippet: text.slice(0, 420), label: after, terms: null, others: null, score: 0, rank: 0 };
    const made = this.cardOf(hit, "↩");
    this.cards.unshift(made);
    this.list.prepend(made.element);
    this.chosen.at(0);
  }

  /** @param {() => Promise<any>} task @param {() => void} [onFailure] */
  enqueue(task, onFailure) {
    this.last = this.last.then(task).catch((error) => {
      onFailure?.();
      tellProblem(error);
    });
  }
}

/** @param {Card} one @param {Label} label */
function setLabel(one, label) {
  one.hit.label = label;
  one.setLabel(label);
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
