// A document's fields in one line: those people look for first, and never more than a few.

import { h } from "./dom.js";

const FIRST = ["authors", "author", "year", "created", "date", "journal", "source", "primary", "cats"];
const MOST = 4;
const LONGEST = 90; // characters

/** @param {string} id @param {Record<string, any>} fields */
export function metaLine(id, fields) {
  const parts = chosen(fields).map(([name, value]) =>
    h("span", { title: name }, h("span", { class: "visually-hidden" }, `${name}: `), value));
  return h("p", { class: "meta" }, h("span", { class: "id", title: "id" }, id), ...parts,
    ...links(fields));
}

/** @param {Record<string, any>} fields @returns {[string, string][]} */
function chosen(fields) {
  const rank = (/** @type {string} */ name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const listed = new Set(Object.values(fields).filter(Array.isArray).flat());
  /** @type {[string, string][]} */
  const shown = Object.entries(fields).filter(([, value]) => !isLink(value) && !listed.has(value))
    .map(([name, value]) => /** @type {[string, string]} */ ([name, textOf(value)]))
    .filter(([, text]) => text && text.length <= LONGEST)
    .sort(([a], [b]) => rank(a) - rank(b));
  const seen = new Set();
  return shown.filter(([, text]) => !seen.has(text) && seen.add(text)).slice(0, MOST);
}

/** @param {any} value */
function textOf(value) {
  if (Array.isArray(value)) return value.filter((one) => typeof one !== "object").join(", ");
  return value === null || typeof value === "object" ? "" : String(value);
}

/** @param {any} value */
const isLink = (value) => typeof value === "string" && /^https?:\/\/\S+$/.test(value);

/** Only these two schemes: a document may say anything. @param {Record<string, any>} fields */
const links = (fields) => Object.entries(fields).filter(([, value]) => isLink(value)).slice(0, 2)
  .map(([name, value]) => h("a", { href: value, target: "_blank", rel: "noopener noreferrer" }, name));
