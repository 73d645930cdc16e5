// What a record is, in one line: who, when, where, and links to DOI and PubMed.

import { h } from "./dom.js";

const AUTHORS = ["authors", "author", "creators", "creator"];
const YEARS = ["year", "publication_year", "date", "published", "created", "issued"];
const JOURNALS = [
  "journal", "journal_name", "secondary_title", "container_title", "container-title", "venue", "source", "booktitle",
  "conference", "publication", "alternate_title1",
];
const MOST_AUTHORS = 3;
const LONGEST = 90; // characters
const CODES = /^([A-Z]{3,8}|[\d.]+|true|false)$/; // of reference types and the like
const HIDDEN = /(^|_)(type|id|ids|issn|isbn|doi|pmid|url|urls|link|label|included|abstract|file|path|name_of_database)($|_)|accession/i;

/** @param {string} id @param {Record<string, any>} fields */
export function metaLine(id, fields) {
  const [doi, pmid] = [doiOf(fields.doi), pmidOf(fields.pmid)];
  const bare = id.replace(/^(doi|pmid):?\s*/i, "").toLowerCase();
  const isId = ![doi.toLowerCase(), pmid].includes(bare);
  return h("p", { class: "meta" }, ...told(fields),
    doi && link(`https://doi.org/${encodeURI(doi)}`, "DOI", doi),
    pmid && link(`https://pubmed.ncbi.nlm.nih.gov/${pmid}/`, "PubMed", pmid),
    ...links(fields), isId && h("span", { class: "id", title: "id" }, /^\d+$/.test(id) ? `id ${id}` : id));
}

/** @param {Record<string, any>} fields */
function told(fields) {
  const parts = [
    part("Authors", people(first(fields, AUTHORS))), part("Year", year(first(fields, YEARS))),
    part("Journal", textOf(first(fields, JOURNALS))),
  ].filter(Boolean);
  return parts.length > 1 ? parts : [...parts, ...others(fields)];
}

/** Of records that are no references, a few short fields. @param {Record<string, any>} fields */
function others(fields) {
  const known = new Set([...AUTHORS, ...YEARS, ...JOURNALS]);
  const listed = new Set(Object.values(fields).filter(Array.isArray).flat());
  const seen = new Set();
  return Object.entries(fields)
    .filter(([name, value]) => !known.has(name) && !HIDDEN.test(name) && !listed.has(value) && !isLink(value))
    .map(([name, value]) => /** @type {[string, string]} */ ([name, textOf(value)]))
    .filter(([, text]) => text && text.length <= LONGEST && !CODES.test(text) && !seen.has(text) && seen.add(text))
    .slice(0, 2).map(([name, text]) => part(fieldName(name), text));
}

/** @param {string} name @param {string} text */
const part = (name, text) => text
  && h("span", { title: name }, h("span", { class: "visually-hidden" }, `${name}: `), shortened(text));

/** @param {Record<string, any>} fields @param {string[]} names */
const first = (fields, names) => names.map((name) => fields[name]).find((value) => textOf(value)) ?? "";

/** @param {any} value */
function people(value) {
  const names = (Array.isArray(value) ? value : String(value).split(/\s*;\s*|\s+and\s+/)).map(nameOf).filter(Boolean);
  return names.length > MOST_AUTHORS ? `${names.slice(0, MOST_AUTHORS).join("; ")} et al.` : names.join("; ");
}

/** @param {any} one */
const nameOf = (one) => (typeof one === "string" ? one.trim()
  : one?.name ?? [one?.family, one?.given].filter(Boolean).join(", "));

/** @param {any} value */
const year = (value) => String(value).match(/(?<!\d)(1[5-9]|20|21)\d\d(?!\d)/)?.[0] ?? "";

/** @param {string} text */
const shortened = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST).trimEnd()} …` : text);

/** @param {any} value */
function textOf(value) {
  if (Array.isArray(value)) return value.filter((one) => typeof one !== "object").join(", ");
  return value === null || value === undefined || typeof value === "object" ? "" : String(value);
}

/** @param {any} value */
const doiOf = (value) => (textOf(value).match(/10\.\d{4,9}\/\S+/)?.[0] ?? "");
/** @param {any} value */
const pmidOf = (value) => (textOf(value).match(/^\s*(?:pmid:?\s*)?(\d{1,9})(?:\.0)?\s*$/i)?.[1] ?? "");
/** @param {any} value */
const isLink = (value) => typeof value === "string" && /^https?:\/\/\S+$/.test(value);

/** @param {string} to @param {string} name @param {string} title */
const link = (to, name, title) => h("a", { href: to, title, target: "_blank", rel: "noopener noreferrer" }, name);

/** Only these two schemes: a document may say anything. @param {Record<string, any>} fields */
const links = (fields) => Object.entries(fields)
  .filter(([, value]) => isLink(value) && !/doi\.org\/|pubmed\.ncbi/.test(value)).slice(0, 1)
  .map(([, value]) => link(value, "Link", value));

/** Names that the server has no better word for. */
const NAMES = /** @type {Record<string, string>} */ ({
  primary: "Main category", cats: "Categories", author: "Authors", created: "Date added", secondary_title: "Journal",
  journal_name: "Journal", container_title: "Journal", publication_year: "Year", name_of_database: "Database",
});

/** What a person calls a field. @param {string} name @param {string} [label] as the server calls it */
export function fieldName(name, label) {
  const words = label ?? name.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim().toLowerCase();
  return NAMES[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
