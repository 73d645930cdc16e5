// Terms found again in a text. An index has stems, so the server is asked what words stand for.
// A reader's own words are found as they are written.

import * as api from "../api.js";
import { h, fill } from "../dom.js";
import { isWord } from "./bars.js";

/** @typedef {import("../api.js").Weight} Weight */
/** @typedef {{ word: string, colour: string }} Own a word to highlight; * at its end is any ending */
/** @typedef {{ from: number, to: number, kind: string }} Range */

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MOST = 2000; // words in one request
/** What words stand for, by index. @type {Map<string, Map<string, string[]>>} */
const known = new Map();

/**
 * What each word of some texts stands for.
 * @param {string} index @param {string[]} texts
 */
export async function termsIn(index, texts) {
  const of = known.get(index) ?? new Map();
  known.set(index, of);
  const words = new Set(texts.flatMap((text) => text.match(WORD) ?? []));
  const unknown = [...words].filter((word) => !of.has(word));
  for (let i = 0; i < unknown.length; i += MOST) {
    const part = unknown.slice(i, i + MOST);
    const terms = await api.termsOf(index, part);
    part.forEach((word, j) => of.set(word, terms[j]));
  }
  return of;
}

/**
 * A text in pieces, those that stand for a term marked.
 * @param {string} text
 * @param {Weight[]} terms
 * @param {Map<string, string[]>} stands what words stand for
 * @param {Own[]} [own]
 * @returns {(string | Element)[]}
 */
export function marked(text, terms, stands, own = []) {
  /** @type {(string | Element)[]} */
  const pieces = [];
  let end = 0;
  const ranges = [...ownRanges(text, own), ...termRanges(text, terms, stands)];
  for (const { from, to, kind } of ranges.sort((a, b) => a.from - b.from)) {
    if (from < end) continue; // a reader's own words came first
    pieces.push(text.slice(end, from), h("mark", { class: kind }, text.slice(from, to)));
    end = to;
  }
  pieces.push(text.slice(end));
  return pieces;
}

/** @param {string} text @param {Weight[]} terms @param {Map<string, string[]>} stands @returns {Range[]} */
function termRanges(text, terms, stands) {
  const weights = new Map(terms.map(({ term, weight }) => [term, weight]));
  const most = Math.max(...terms.map(({ weight }) => Math.abs(weight)), 0);
  const found = [];
  for (const match of weights.size ? text.matchAll(WORD) : []) {
    const term = stands.get(match[0])?.find((one) => weights.has(one));
    if (term === undefined) continue;
    const [from, to] = within(match[0], term);
    found.push({ from: match.index + from, to: match.index + to, kind: kindOf((weights.get(term) ?? 0) / most) });
  }
  return found;
}

/** @param {string} text @param {Own[]} own @returns {Range[]} */
function ownRanges(text, own) {
  return own.flatMap(({ word, colour }) => [...text.matchAll(pattern(word))].map((match) => (
    { from: match.index, to: match.index + match[0].length, kind: `own ${colour}` })));
}

/** @param {string} word */
function pattern(word) {
  const open = word.endsWith("*");
  const bare = (open ? word.slice(0, -1) : word).replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&").replace(/ +/g, "\\s+");
  return new RegExp(`(?<![\\p{L}\\p{N}])${bare}${open ? "[\\p{L}\\p{N}]*" : "(?![\\p{L}\\p{N}])"}`, "giu");
}

/** The term itself where a word holds several, as in Chinese. @param {string} word @param {string} term */
function within(word, term) {
  const at = word.toLowerCase().indexOf(term);
  const isPart = at >= 0 && /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(word);
  return isPart ? [at, at + term.length] : [0, word.length];
}

/** @param {number} share of the heaviest term's weight */
const kindOf = (share) => `${share < 0 ? "down" : "up"}${Math.abs(share) < 0.1 ? " faint" : ""}`;

/**
 * Mark what counts most in the texts of a list; nothing where the server does not say.
 * @param {string} index
 * @param {{ hit: import("../api.js").Hit, snippet: HTMLElement }[]} cards
 * @param {Own[]} [own]
 */
export async function markSnippets(index, cards, own = []) {
  const shown = own.length ? cards : cards.filter(({ hit }) => heaviest(hit).length);
  const texts = shown.map(({ snippet }) => snippet.textContent ?? "");
  const needed = texts.filter((_, i) => heaviest(shown[i].hit).length);
  const stands = await termsIn(index, needed).catch(() => new Map());
  shown.forEach(({ hit, snippet }, i) => fill(snippet, ...marked(texts[i], heaviest(hit), stands, own)));
}

/** The few terms that brought it up most: more would be a flicker. @param {import("../api.js").Hit} hit */
const heaviest = ({ terms }) => (terms ?? []).filter((one) => one.weight > 0 && isWord(one)).slice(0, 4);
