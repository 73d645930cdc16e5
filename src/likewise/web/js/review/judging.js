// The page to judge, as a list or one record at a time. The server keeps each judgement before
// anything else happens; the last one of a page brings the next page along.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { tell, tellProblem } from "../notices.js";
import { go, reviewAddress } from "../router.js";
import * as store from "../store.js";
import { markSnippets } from "../why/marks.js";
import { chooser, tagChooser } from "./chooser.js";
import { chosenBy } from "./chosenBy.js";
import { fullText, LOST, STAGE } from "./fullText.js";
import { record } from "./record.js";
import { asReviewer } from "./reviewer.js";
import { selection } from "./selection.js";
import { finished, summary, tellStep } from "./telling.js";

/** @typedef {ReturnType<typeof record>} Card */
/** @typedef {"relevant" | "not" | "unsure" | null} Label */
/** @typedef {import("./view.js").Review} Review */

const VIEW = "judging";

/** @param {Review} review */
export const judgePart = (review) => new JudgePart(review);

class JudgePart {
  /** @type {Card[]} */
  cards = [];
  /** One request after the other, in the order of the clicks. @type {Promise<any>} */
  last = Promise.resolve();
  turning = false; // the next page is on its way: keys wait for it
  closed = false;
  /** What is shown in the status line. @type {any} */
  page = null;
  status = h("p", { class: "status-text", role: "status" }, "Loading …");
  how = h("div", { class: "how" });
  list = h("ol", { class: "cards" });
  chosen = selection(() => this.cards);
  keys = {
    relevant: () => this.judgeChosen("relevant"),
    not: () => this.judgeChosen("not"),
    unsure: () => this.judgeChosen("unsure"),
    reasons: () => this.chooseReasons(),
    digit: (/** @type {number} */ n) => this.judgeFor(n),
    note: () => this.chosen.get()?.editNote(),
    tags: () => this.chooseTags(),
    next: () => this.move(1),
    previous: () => this.move(-1),
    why: () => this.chosen.get()?.toggleWhy(),
    open: () => this.chosen.get()?.heading.click(),
    list: () => this.setView(!this.isOne),
    highlight: () => this.review.highlight(),
    skip: () => this.skip(),
    page: () => this.passOver(),
    again: () => this.passOver({ again: true }),
    random: () => this.passOver({ random: true }),
    progress: () => go(reviewAddress(this.review.index, this.review.name, "progress")),
    undo: () => this.step("undo"),
    redo: () => this.step("redo"),
  };

  /** @param {Review} review */
  constructor(review) {
    this.review = review;
    this.fullText = fullText(review, {
      onLost: () => this.judgeChosen("not", [LOST]), onBack: () => this.chosen.focus(),
    });
    const undo = button("Undo", () => this.step("undo"), { icon: "undo", class: "quiet" });
    const redo = button("Redo", () => this.step("redo"), { icon: "redo", class: "quiet" });
    this.pass = button("Next page", () => this.passOver(), { class: "more" });
    this.before = button("Previous", () => this.move(-1), { class: "small" });
    this.after = button("Next", () => this.move(1), { class: "small" });
    this.views = [["List", false], ["One by one", true]].map(([name, one]) => button(String(name),
      () => this.setView(Boolean(one)), { class: "small", "aria-pressed": "false" }));
    this.element = h("section", { "aria-label": "Records to judge", class: "judging" },
      h("div", { class: "status" }, this.status, h("div", { class: "row" },
        h("div", { class: "switch", role: "group", "aria-label": "Show" }, ...this.views), undo, redo), this.how),
      this.list, h("div", { class: "row between steps" }, this.before, this.after), this.pass, this.fullText.element);
    this.list.addEventListener("focusin", () => this.tellPlace());
    this.setView(store.local.get(VIEW) === "one");
    this.enqueue(async () => this.begin(...await Promise.all([review.api.get(), this.first()])), () => fill(this.status, "There is no page to judge."));
    review.preferences.listen(() => this.mark());
  }

  close() {
    this.closed = true;
    this.fullText.close();
  }

  /** @param {{ stage: string }} session @param {any} page */
  begin({ stage }, page) {
    if (this.closed) return;
    if (stage === STAGE) {
      this.fullText.start();
      this.element.classList.add("with-pdf");
      this.setView(true);
    }
    this.show(page);
  }

  /** @param {boolean} one whether one record is shown, and not a list */
  setView(one) {
    this.isOne = one;
    store.local.set(VIEW, one ? "one" : "list");
    this.element.classList.toggle("one", one);
    this.views.forEach((view, i) => view.setAttribute("aria-pressed", String(Boolean(i) === one)));
    this.tellPlace();
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

  /** @param {any} [wanted] */
  passOver(wanted = {}) {
    this.enqueue(async () => this.turn(await this.review.api.next({ ...this.who(), ...wanted })));
  }

  /** @param {any} page */
  show(page) {
    this.turning = false;
    if (this.closed) return;
    this.page = page;
    this.cards = page.hits.map((/** @type {any} */ hit, /** @type {number} */ i) => this.cardOf(hit, hit.rank ?? i + 1));
    fill(this.list, ...this.cards.map((one) => one.element));
    if (!this.cards.length) fill(this.list, finished());
    this.pass.hidden = !this.cards.length;
    fill(this.how);
    if (this.cards.length) chosenBy(page).then((facts) => fill(this.how, facts), tellProblem);
    this.chosen.first();
    this.tellPlace();
    this.mark();
  }

  mark() {
    const titles = this.cards.map(({ hit, heading }) => ({ hit, snippet: heading }));
    void markSnippets(this.review.index, [...this.cards, ...titles], this.review.preferences.highlights());
  }

  tellPlace() {
    if (!this.page) return;
    const place = this.cards.indexOf(/** @type {Card} */ (this.chosen.get()));
    if (this.fullText.isOn()) this.fullText.show(this.chosen.get()?.hit ?? null);
    fill(this.status, summary(this.page, this.isOne && this.cards.length ? place + 1 : 0, this.cards.length));
    this.before.disabled = place <= 0;
    this.after.disabled = place >= this.cards.length - 1;
  }

  /** @param {any} page */
  turn(page) {
    this.show(page);
    window.scrollTo({ top: 0 });
    this.chosen.focus();
  }

  /** @param {any} hit @param {number | string} rank */
  cardOf(hit, rank) {
    return record(hit, {
      index: this.review.index, rank,
      onJudge: (id, label) => this.clicked(id, label),
      onReasons: () => this.chooseReasons(this.cards.find((one) => one.hit === hit)),
      onTags: () => this.chooseTags(this.cards.find((one) => one.hit === hit)),
      onNote: (id, note) => this.review.api.remark({ id, note, ...this.who() }),
    });
  }

  /** @param {number} by */
  move(by) {
    this.chosen.move(by);
    this.tellPlace();
  }

  /** @param {string} id @param {Label} label */
  clicked(id, label) {
    if (label === "not" && this.fullText.needsReason()) {
      this.chooseReasons(this.cards.find(({ hit }) => hit.id === id));
      return;
    }
    this.judge(id, label);
    if (this.isOne && label && !this.turning) this.goOn();
  }

  goOn() {
    this.chosen.nextUnjudged();
    this.tellPlace();
  }

  skip() {
    const later = this.cards.slice(this.cards.indexOf(/** @type {Card} */ (this.chosen.get())) + 1);
    if (later.some(({ hit }) => !hit.label)) this.goOn();
    else this.passOver();
  }

  /** @param {string} id @param {Label} label @param {string[]} [reasons] */
  judge(id, label, reasons = []) {
    const judged = this.cards.find(({ hit }) => hit.id === id);
    if (!judged) return;
    const before = { label: judged.hit.label ?? null, reasons: judged.hit.reasons ?? [] };
    say(judged, { label, reasons });
    const goesOn = !this.turning && label !== null && this.cards.every(({ hit }) => hit.label);
    this.turning ||= goesOn;
    this.enqueue(async () => {
      const answer = await this.review.api.judge({ judgements: [{ id, label, reasons }], ...this.who() }, goesOn);
      if (answer.page) this.turn(answer.page);
      this.review.changed();
    }, () => {
      say(judged, before);
      this.turning = false;
    });
  }

  /** @param {Label} label @param {string[]} [reasons] @param {Card | null} [one] */
  judgeChosen(label, reasons = [], one = this.chosen.get()) {
    if (!one || this.turning) return;
    if (label === "not" && !reasons.length && this.fullText.needsReason()) {
      this.chooseReasons(one);
      return;
    }
    const isLast = this.cards.every((other) => other === one || other.hit.label);
    this.judge(one.hit.id, label, reasons);
    if (!isLast && one === this.chosen.get()) this.goOn();
  }

  /** Not relevant for the n-th reason of the list. @param {number} n */
  judgeFor(n) {
    const reason = this.review.protocol().reasons[n - 1];
    if (reason) this.judgeChosen("not", [reason]);
    else tell(`There is no reason ${n}: the list is under “What counts”.`);
  }

  /** @param {Card | null | undefined} [one] */
  chooseReasons(one = this.chosen.get()) {
    if (!one) return;
    const { reasons: known } = this.review.protocol();
    chooser({
      title: "Not relevant: why?", known: this.fullText.isOn() ? [...known, LOST] : known, chosen: one.hit.reasons ?? [],
      other: "Another reason", done: "Not relevant", onDone: (reasons) => {
        if (this.fullText.needsReason() && !reasons.length) throw new api.Problem("Choose a reason, or write one.");
        this.judgeChosen("not", reasons, one);
      },
    });
  }

  /** @param {Card | null | undefined} [one] */
  chooseTags(one = this.chosen.get()) {
    if (one) tagChooser(this.review, one);
  }

  /** @param {"undo" | "redo"} which */
  step(which) {
    this.enqueue(async () => {
      const { changes } = await this.review.api.step(which, this.who());
      for (const change of changes) await this.apply(change);
      await tellStep(this.review.index, which, changes);
      this.review.changed();
    });
  }

  /** What is not on the page any more comes back to its top. @param {any} change */
  async apply({ id, after, reasons }) {
    let there = this.cards.find(({ hit }) => hit.id === id);
    if (!there) {
      const { title, text, fields } = await api.document_(this.review.index, id);
      there = this.cardOf({ id, title, fields, snippet: text.slice(0, api.WHOLE), terms: null, others: null, score: 0, rank: 0 }, "↩");
      this.cards.unshift(there);
      this.list.prepend(there.element);
      this.mark();
    }
    say(there, { label: after, reasons });
    this.chosen.at(this.cards.indexOf(there));
    this.tellPlace();
  }

  /** @param {() => Promise<any>} task @param {() => void} [onFailure] */
  enqueue(task, onFailure) {
    this.last = this.last.then(task).catch((error) => {
      onFailure?.();
      tellProblem(error);
    });
  }
}

/** @param {Card} one @param {{ label: Label, reasons: string[] }} now */
function say(one, { label, reasons }) {
  one.hit.label = label;
  one.hit.reasons = reasons;
  one.say();
}
