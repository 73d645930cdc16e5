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
import { statusLine } from "./status.js";
import { teach, noneFound } from "./teach.js";
import { termsPanel } from "./termsPanel.js";
import { tray } from "./tray.js";

/** @typedef {import("./asked.js").Asked} State */

/** @param {{ index: string }} place @param {any} info */
export function searchView({ index }, info) {
  /** @type {State} */
  let asked = Asked.parse(new URLSearchParams(location.search));
  /** @type {{ lesson: string, id: string } | null} */
  let learned = null;
  /** @type {AbortController | null} */
  let running = null;

  const form = questionForm(info, { onChange: change, onDocuments: addDocuments });
  const status = statusLine({ onCancel: cancel, onQuick: quick });
  const results = resultList(index, { onJudge: judge, onMore: more });
  const examples = tray(index, {
    onJudge: judgeExample, onClear: clear, onDocuments: addDocuments,
    onNoWords: () => change({ ...asked, words: "" }),
  });
  const terms = termsPanel({ onChoose: (term, choice) => change(Asked.chosen(asked, term, choice)) });
  const filters = filterPanel(index, { onFilter: (filter) => change({ ...asked, filter }) });
  const side = h("aside", { class: "side", "aria-label": "The query" },
    examples.element, terms.element, filters.element);
  const found = h("div", { class: "found" }, status.element, results.element);
  const element = h("div", { class: "columns" },
    h("div", { class: "top" }, h("h1", { class: "visually-hidden" }, `Search in ${index}`), form.element),
    side, found);
  const closeDrop = takeDocuments(element, ({ documents, problems }) => addDocuments(documents, "relevant", problems));

  /** @param {State} next @param {{ keep?: string }} [how] keep: the list down to this document */
  function change(next, { keep } = {}) {
    asked = keep || next.shown !== asked.shown ? next : { ...next, shown: Asked.PAGE };
    go(searchAddress(index, Asked.write(asked)), { quiet: true });
    void show(keep);
  }

  /** @param {string} id @param {Asked.Label | null} label */
  function judge(id, label) {
    change(Asked.judged(asked, { id }, label), { keep: id });
  }

  /** @param {import("./asked.js").Example} example @param {Asked.Label | null} label */
  function judgeExample(example, label) {
    change(Asked.judged(asked, example, label));
  }

  function clear() {
    const before = asked;
    change({ ...Asked.nothing(), words: asked.words, method: asked.method, filter: asked.filter });
    tell("All examples are removed.", { action: { label: "Undo", run: () => change(before) } });
  }

  /**
   * @param {stash.Typed[]} documents @param {Asked.Label} label
   * @param {string[]} [problems] why parts of files were left out
   */
  function addDocuments(documents, label, problems = []) {
    const next = documents.reduce(
      (state, typed) => Asked.judged(state, { key: stash.put(typed) }, label), asked);
    change(next);
    const added = documents.length === 1 ? "One example added." : `${documents.length} examples added.`;
    const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    tell(problems.length ? `${added} Left out: ${problems[0]}${others}.` : added, { bad: problems.length > 0 });
  }

  /** By the first method that reads the examples only. */
  async function quick() {
    const { search } = await api.methods();
    change({ ...asked, method: search.find((/** @type {any} */ one) => one.online).name });
  }

  function cancel() {
    running?.abort();
    running = null;
    status.idle("Cancelled. What you see is the ranking from before.");
    results.settle();
  }

  function more() {
    asked = { ...asked, shown: asked.shown + Asked.PAGE };
    go(searchAddress(index, Asked.write(asked)), { replace: true, quiet: true });
    void ask({ offset: results.reached, limit: Asked.PAGE }, (answer) => results.add(answer, asked));
  }

  /** @param {string} [keep] */
  async function show(keep) {
    document.title = `${titleOf(asked, index)} · likewise`;
    form.update(asked);
    examples.update(asked);
    void filters.update(asked);
    running?.abort();
    if (Asked.isEmpty(asked)) {
      learned = null;
      terms.update(null, asked);
      status.idle("");
      results.replace(teach(index, info, Asked.learns(asked)));
      return;
    }
    results.wait(asked, keep);
    const limit = asked.shown + results.keptUnjudged(asked);
    await ask({ offset: 0, limit }, (answer) => {
      results.show(answer, asked);
      if (!answer.hits.length) results.replace(noneFound(asked));
      terms.update(answer.query, asked);
    });
  }

  /**
   * @param {{ offset: number, limit: number }} part
   * @param {(answer: api.Found) => void} use
   */
  async function ask(part, use) {
    running?.abort();
    const mine = (running = new AbortController());
    status.busy();
    try {
      const [answer, { search: methods }] = await Promise.all([request(part, mine.signal), api.methods()]);
      if (mine.signal.aborted) return;
      if (answer.query) learned = { lesson: Asked.lesson(asked), id: answer.query.id };
      use(answer);
      status.done(answer, asked, methods);
    } catch (error) {
      if (mine.signal.aborted) return;
      status.failed(error instanceof Error ? error.message : String(error));
      results.settle();
      if (!(error instanceof api.Problem)) tellProblem(error);
    }
  }

  /** Run what was learned before where it still holds. @param {any} part @param {AbortSignal} signal */
  async function request(part, signal) {
    const known = learned?.lesson === Asked.lesson(asked) ? learned.id : null;
    const run = (/** @type {string | null} */ id) =>
      api.search(index, Asked.requestOf(asked, { ...part, learned: id }), signal, status.progress);
    try {
      return await run(known);
    } catch (error) {
      const forgotten = known && error instanceof api.Problem && error.status === 404;
      if (!forgotten) throw error;
      return run(null);
    }
  }

  void show();
  return {
    get title() {
      return titleOf(asked, index);
    },
    element,
    update() {
      asked = Asked.parse(new URLSearchParams(location.search));
      void show();
    },
    close() {
      running?.abort();
      closeDrop();
    },
  };
}

/** @param {State} asked @param {string} index */
function titleOf(asked, index) {
  const number = asked.like.length;
  return asked.words || (number ? `Like ${counted(number, "example")}` : index);
}
