// The ranking as a list. What has been read stays in place; what comes after it gets better.

import { h, button, fill } from "../dom.js";
import { card } from "../card.js";
import { labelOf } from "./asked.js";
import { markSnippets } from "../why/marks.js";

/** @typedef {import("./asked.js").Asked} Asked */
/** @typedef {import("../api.js").Found} Found */
/** @typedef {ReturnType<typeof card>} Card */

/**
 * @param {string} index
 * @param {{ onJudge: (id: string, label: any) => void, onMore: () => void }} act
 */
export function resultList(index, { onJudge, onMore }) {
  /** @type {Card[]} */
  let cards = [];
  let kept = 0; // so many of the first cards stay when a new ranking comes
  let reached = 0; // how far down the ranking the list goes
  const list = h("ol", { class: "cards" });
  const more = button("Load more", onMore, { class: "more", hidden: true });
  const element = h("div", { class: "results" }, list, more);

  /** @param {Found} answer @param {Asked} asked */
  function append(answer, asked) {
    const there = new Set(cards.map(({ hit }) => hit.id));
    const fresh = answer.hits
      .filter(({ id }) => !there.has(id) && labelOf(asked, id) === null)
      .map((hit, i) => card(hit, { index, rank: cards.length + i + 1, label: null, onJudge }));
    cards.push(...fresh);
    list.append(...fresh.map((one) => one.element));
    reached = answer.next_offset ?? 0;
    more.hidden = answer.next_offset === null;
    element.removeAttribute("aria-busy");
    void markSnippets(index, fresh);
  }

  return {
    element,
    get reached() {
      return reached;
    },
    /** Kept cards that a ranking may bring again. @param {Asked} asked */
    keptUnjudged: (asked) =>
      cards.slice(0, kept).filter(({ hit }) => labelOf(asked, hit.id) === null).length + asked.unsure.length,
    /**
     * A new ranking is on its way: keep the list down to the document just judged.
     * @param {Asked} asked @param {string} [keep]
     */
    wait(asked, keep) {
      kept = keep ? Math.max(kept, cards.findIndex(({ hit }) => hit.id === keep) + 1) : 0;
      for (const one of cards.slice(0, kept)) one.setLabel(labelOf(asked, one.hit.id));
      element.setAttribute("aria-busy", "true");
    },
    /** The ranking from before stays. */
    settle: () => element.removeAttribute("aria-busy"),
    /** @param {Found} answer @param {Asked} asked */
    show(answer, asked) {
      cards = cards.slice(0, kept);
      if (!kept) fill(list);
      while (list.children.length > kept) list.lastElementChild?.remove();
      fill(element, list, more);
      append(answer, asked);
    },
    add: append,
    /** Something else in the list's place. @param {Element} instead */
    replace(instead) {
      cards = [];
      kept = 0;
      element.removeAttribute("aria-busy");
      fill(element, instead);
    },
  };
}
