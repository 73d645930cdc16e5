// The search page: what is asked on top, what is found below it, and beside it why.

import * as api from "../api.js";
import { h } from "../dom.js";
import { counted } from "../format.js";
import { tell, tellProblem } from "../notices.js";
import { go, searchAddress } from "../router.js";
import * as stash from "../stash.js";
import * as Asked from "./asked.js";
import { takeDocuments } from "./drop.js";
import { filterPanel } from "./filterPanel.js";
import { questionForm } from "./form.js";
import { resultList } from "./results.js";
import { savedPanel } from "./saved.js";
import { statusLine } from "./status.js";
import { teach, noneFound } from "./teach.js";
import { termsPanel } from "./termsPanel.js";
import { tray } from "./tray.js";

/** @typedef {import("./asked.js").Asked} State */
/** @typedef {import("./asked.js").Label} Label */
/** @typedef {(documents: stash.Typed[], label: Label, problems?: string[]) => void} OnDocuments */

/** @param {{ index: string }} place @param {any} info */
export const searchView = ({ index }, info) => new SearchView(index, info);

class SearchView {
  /** @type {State} */
  asked = Asked.parse(new URLSearchParams(location.search));
  /** @type {{ lesson: string, id: string } | null} */
  learned = null;
  /** @type {AbortController | null} */
  running = null;

  /** @param {string} index @param {any} info */
  constructor(index, info) {
    this.index = index;
    this.info = info;
    this.addParts();
    const side = h("aside", { class: "side", "aria-label": "The query" },
      this.examples.element, this.terms.element, this.filters.element, this.saved.element);
    const found = h("div", { class: "found" }, this.status.element, this.results.element);
    this.element = h("div", { class: "columns" },
      h("div", { class: "top" }, h("h1", { class: "visually-hidden" }, `Search in ${info?.title ?? index}`), this.form.element),
      side, found);
    this.closeDrop = takeDocuments(this.element,
      ({ documents, problems }) => this.addDocuments(documents, "relevant", problems));
    void this.show();
  }

  addParts() {
    /** @param {Partial<State>} part */
    const set = (part) => this.change({ ...this.asked, ...part });
    /** @type {OnDocuments} */
    const onDocuments = (...given) => this.addDocuments(...given);
    this.form = questionForm(this.info, { onChange: (asked) => this.change(asked), onDocuments });
    this.status = statusLine({ onCancel: () => this.cancel(), onQuick: () => this.beQuick() });
    this.results = resultList(this.index, {
      onJudge: (id, label) => this.change(Asked.judged(this.asked, { id }, label), { keep: id }),
      onMore: () => this.more(),
    });
    this.examples = tray(this.index, {
      onJudge: (example, label) => this.change(Asked.judged(this.asked, example, label)),
      onClear: () => this.clear(), onNoWords: () => set({ words: "" }), onDocuments,
    });
    this.terms = termsPanel({ onChoose: (term, choice) => this.change(Asked.chosen(this.asked, term, choice)) });
    this.filters = filterPanel(this.index, { onFilter: (filter) => set({ filter }) });
    this.saved = savedPanel(this.index, { now: () => this.kept() });
  }

  /** What is asked now, as it can be kept: by words, or by what was learned. */
  kept() {
    const { asked, learned } = this;
    if (Asked.isEmpty(asked)) return null;
    const learns = Asked.learns(asked);
    if (learns && learned?.lesson !== Asked.lesson(asked)) return null;
    return {
      words: learns ? "" : asked.words, query: learns ? learned?.id ?? null : null, filter: asked.filter,
      page: Asked.write({ ...asked, shown: Asked.PAGE }).toString(), terms: { off: asked.off, pinned: asked.pinned },
    };
  }

  get title() {
    const number = this.asked.like.length;
    return this.asked.words || (number ? `Like ${counted(number, "example")}` : this.index);
  }

  /** The address has changed. */
  update() {
    this.asked = Asked.parse(new URLSearchParams(location.search));
    void this.show();
  }

  close() {
    this.running?.abort();
    this.closeDrop();
  }

  /** @param {State} next @param {{ keep?: string }} [how] keep: the list down to this document */
  change(next, { keep } = {}) {
    this.asked = keep || next.shown !== this.asked.shown ? next : { ...next, shown: Asked.PAGE };
    go(searchAddress(this.index, Asked.write(this.asked)), { quiet: true });
    void this.show(keep);
  }

  clear() {
    const before = this.asked;
    const { words, method, filter } = before;
    this.change({ ...Asked.nothing(), words, method, filter });
    tell("All examples are removed.", { action: { label: "Undo", run: () => this.change(before) } });
  }

  /** @type {OnDocuments} problems say why parts of files were left out */
  addDocuments(documents, label, problems = []) {
    this.change(documents.reduce(
      (state, typed) => Asked.judged(state, { key: stash.put(typed) }, label), this.asked));
    const added = documents.length === 1 ? "One example added." : `${documents.length} examples added.`;
    const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    tell(problems.length ? `${added} Left out: ${problems[0]}${others}.` : added, { bad: problems.length > 0 });
  }

  /** Search by the first method that reads the examples only. */
  async beQuick() {
    const { search } = await api.methods();
    this.change({ ...this.asked, method: search.find((/** @type {any} */ one) => one.online).name });
  }

  cancel() {
    this.running?.abort();
    this.running = null;
    this.status.idle("Cancelled. What you see is the ranking from before.");
    this.results.settle();
  }

  more() {
    this.asked = { ...this.asked, shown: this.asked.shown + Asked.PAGE };
    go(searchAddress(this.index, Asked.write(this.asked)), { replace: true, quiet: true });
    const part = { offset: this.results.reached, limit: Asked.PAGE };
    void this.ask(part, (answer) => this.results.add(answer, this.asked));
  }

  /** @param {string} [keep] */
  async show(keep) {
    const { asked, results } = this;
    document.title = `${this.title} · likewise`;
    this.form.update(asked);
    this.examples.update(asked);
    void this.filters.update(asked);
    this.running?.abort();
    if (Asked.isEmpty(asked)) {
      this.learned = null;
      this.terms.update(null, asked);
      this.status.idle("");
      results.replace(teach(this.index, this.info, Asked.learns(asked)));
      return;
    }
    results.wait(asked, keep);
    await this.ask({ offset: 0, limit: asked.shown + results.keptUnjudged(asked) }, (answer) => {
      results.show(answer, asked);
      if (!answer.hits.length) results.replace(noneFound(asked));
      this.terms.update(answer.query, asked);
    });
  }

  /**
   * @param {{ offset: number, limit: number }} part
   * @param {(answer: api.Found) => void} use
   */
  async ask(part, use) {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    this.status.busy();
    try {
      const [answer, { search: methods }] = await Promise.all([this.request(part, signal), api.methods()]);
      if (signal.aborted) return;
      if (answer.query) this.learned = { lesson: Asked.lesson(this.asked), id: answer.query.id };
      use(answer);
      this.status.done(answer, this.asked, methods);
      this.saved.update();
    } catch (error) {
      if (signal.aborted) return;
      this.status.failed(error instanceof Error ? error.message : String(error));
      this.results.settle();
      if (!(error instanceof api.Problem)) tellProblem(error);
    }
  }

  /** Run what was learned before where it still holds. @param {any} part @param {AbortSignal} signal */
  async request(part, signal) {
    const known = this.learned?.lesson === Asked.lesson(this.asked) ? this.learned.id : null;
    const run = (/** @type {string | null} */ id) => api.search(
      this.index, Asked.requestOf(this.asked, { ...part, learned: id }), signal, this.status.progress);
    try {
      return await run(known);
    } catch (error) {
      const forgotten = known && error instanceof api.Problem && error.status === 404;
      if (!forgotten) throw error;
      return run(null);
    }
  }
}
