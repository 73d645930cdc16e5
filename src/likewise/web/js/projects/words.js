// Kinds of records in words that people use.

import { counted } from "../format.js";

/** Those whose names need another plural, or another name. @type {Record<string, [string, string]>} */
const KINDS = {
  "article-journal": ["journal article", "journal articles"],
  "paper-conference": ["conference paper", "conference papers"],
  thesis: ["thesis", "theses"],
  software: ["program", "programs"],
  legislation: ["law", "laws"],
  webpage: ["web page", "web pages"],
};
const MOST = 4;

/** One of a kind, and several. @param {string} type @returns {[string, string]} */
function named(type) {
  const plain = type.replace(/[-_]/g, " ");
  return KINDS[type] ?? [plain, `${plain}s`];
}

/** A value of a field as people read it. @param {string} name @param {string} value */
export const worded = (name, value) => (name === "type" ? named(value)[0] : value);

/** @param {Record<string, number>} types */
export function kinds(types) {
  const all = Object.entries(types);
  const told = all.slice(0, MOST).map(([type, number]) => counted(number, ...named(type)));
  const rest = all.slice(MOST).reduce((sum, [, number]) => sum + number, 0);
  return [...told, ...(rest ? [counted(rest, "other")] : [])].join(", ");
}

/** Fields that people look for first, in this order; the others follow as they come. */
const FIRST = ["title", "abstract", "text", "authors", "year", "journal", "doi", "pmid", "keywords", "type"];

/** Without the codes that other programs have for a kind. @template {{ name: string }} F @param {F[]} fields */
export function usualFirst(fields) {
  const rank = (/** @type {F} */ { name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return fields.filter(({ name }) => name !== "type_of_reference").sort((a, b) => rank(a) - rank(b));
}
