// What is being looked for, as a value: read from an address, changed, written to one.

import * as stash from "../stash.js";

/** @typedef {{ id: string } | { key: string }} Example a document, or a text in the stash */
/** @typedef {"relevant" | "not" | "unsure"} Label */
/** @typedef {{ words: string, like: Example[], unlike: Example[], unsure: string[], method: string,
 *   filter: string, off: string[], pinned: string[], shown: number }} Asked */

export const PAGE = 10;

/** @returns {Asked} */
export const nothing = () => ({
  words: "", like: [], unlike: [], unsure: [], method: "auto", filter: "", off: [], pinned: [],
  shown: PAGE,
});

/** @param {URLSearchParams} from @returns {Asked} */
export function parse(from) {
  /** @param {string} ids @param {string} keys @returns {Example[]} */
  const side = (ids, keys) => [
    ...from.getAll(keys).map((key) => ({ key })),
    ...from.getAll(ids).map((id) => ({ id })),
  ];
  return {
    words: from.get("q") ?? "",
    like: side("like", "text"),
    unlike: side("unlike", "untext"),
    unsure: from.getAll("unsure"),
    method: from.get("method") ?? "auto",
    filter: from.get("filter") ?? "",
    off: from.getAll("off"),
    pinned: from.getAll("pin"),
    shown: Math.max(PAGE, Math.min(1000, Number(from.get("shown")) || PAGE)),
  };
}

/** @param {Asked} asked @returns {URLSearchParams} */
export function write(asked) {
  const to = new URLSearchParams();
  /** @param {string} name @param {string[]} values */
  const all = (name, values) => values.forEach((value) => to.append(name, value));
  if (asked.words) to.set("q", asked.words);
  all("text", keys(asked.like));
  all("like", ids(asked.like));
  all("untext", keys(asked.unlike));
  all("unlike", ids(asked.unlike));
  all("unsure", asked.unsure);
  if (asked.method !== "auto") to.set("method", asked.method);
  if (asked.filter) to.set("filter", asked.filter);
  all("off", asked.off);
  all("pin", asked.pinned);
  if (asked.shown !== PAGE) to.set("shown", String(asked.shown));
  return to;
}

/** @param {Example[]} examples */
export const ids = (examples) => examples.flatMap((one) => ("id" in one ? [one.id] : []));
/** @param {Example[]} examples */
export const keys = (examples) => examples.flatMap((one) => ("key" in one ? [one.key] : []));
/** @param {Example} one */
export const nameOf = (one) => ("id" in one ? one.id : one.key);

/** @param {Asked} asked */
export const isEmpty = (asked) => !asked.words && !asked.like.length;
/** Whether something is learned, or words are looked up. @param {Asked} asked */
export const learns = (asked) => asked.like.length + asked.unlike.length > 0;

/** @param {Asked} asked @param {string} id @returns {Label | null} */
export function labelOf(asked, id) {
  if (ids(asked.like).includes(id)) return "relevant";
  if (ids(asked.unlike).includes(id)) return "not";
  return asked.unsure.includes(id) ? "unsure" : null;
}

/**
 * With an example on one side, on neither (null), or put aside.
 * @param {Asked} asked @param {Example} example @param {Label | null} label
 * @returns {Asked}
 */
export function judged(asked, example, label) {
  const name = nameOf(example);
  const without = (/** @type {Example[]} */ side) => side.filter((one) => nameOf(one) !== name);
  const next = {
    ...asked, like: without(asked.like), unlike: without(asked.unlike),
    unsure: asked.unsure.filter((one) => one !== name),
  };
  if (label === "relevant") next.like = [...next.like, example];
  if (label === "not") next.unlike = [...next.unlike, example];
  if (label === "unsure") next.unsure = [...next.unsure, name];
  return next;
}

/** @param {Asked} asked @param {string} term @param {"off" | "pinned" | null} choice @returns {Asked} */
export function chosen(asked, term, choice) {
  const off = asked.off.filter((one) => one !== term);
  const pinned = asked.pinned.filter((one) => one !== term);
  if (choice === "off") off.push(term);
  if (choice === "pinned") pinned.push(term);
  return { ...asked, off, pinned };
}

/**
 * The request for a part of the ranking. Words beside examples are one more liked example.
 * @param {Asked} asked
 * @param {{ offset: number, limit: number, learned: string | null }} part
 */
export function requestOf(asked, { offset, limit, learned }) {
  const request = { offset, limit, filter: asked.filter || null, explain: 12, snippet: 420 };
  if (!learns(asked)) return { ...request, words: asked.words };
  const query = { ...request, heaviest: 12, terms: { off: asked.off, pinned: asked.pinned } };
  if (learned) return { ...query, query: learned };
  return { ...query, ...examplesOf(asked), method: asked.method, wait: 0.5 };
}

/** Words and examples as the API takes them. @param {Asked} asked */
export function examplesOf(asked) {
  const plain = asked.words.replace(/(^|\s)-(?=[\p{L}\p{N}"“])("[^"]*"|“[^”]*”|\S+)/gu, " ").trim();
  const words = plain ? [{ text: plain }] : []; // what is to be left out is no example
  return {
    positive: [...words, ...asked.like.flatMap(given)],
    negative: asked.unlike.flatMap(given),
  };
}

/** @param {Example} example @returns {any[]} */
function given(example) {
  if ("id" in example) return [{ id: example.id }];
  const typed = stash.get(example.key);
  return typed ? [typed] : [];
}

/** Learning depends on this and nothing else. @param {Asked} asked */
export const lesson = ({ words, like, unlike, method }) => JSON.stringify([words, like, unlike, method]);
