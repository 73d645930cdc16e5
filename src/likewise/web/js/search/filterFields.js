// Controls for the fields of an index: years as a range, fields with few values as a list.

import { h, fill } from "../dom.js";
import { counted } from "../format.js";
import { fieldName } from "../meta.js";

const MOST_FIELDS = 4;
const MOST_VALUES = 500; // different ones of a field that is worth a list
const YEARS = ["year", "publication_year", "date", "published", "created", "issued"];
const FIRST = ["journal", "authors", "author", "keywords", "language", "type", "type_of_reference"];
const UNTOLD = /(^|_)(id|ids|doi|pmid|issn|isbn|url|pages|volume|issue|number|custom\d*|abstract)($|_)/i;

/** @typedef {(field: string, operator: string) => string[]} Get the values that are asked for */
/** @typedef {(field: string, operator: string, values: string[]) => void} Set */

/** @param {any[]} fields @param {Get} get @param {Set} set @returns {{ element: HTMLElement, update: () => void }[]} */
export function fieldControls(fields, get, set) {
  const year = yearField(fields);
  const others = fields.filter((field) => !isTime(field) && !UNTOLD.test(field.name)).sort((a, b) => rank(a) - rank(b));
  return [...(year ? [year] : []), ...others].map((field) => control(field, get, set)).filter(Boolean).slice(0, MOST_FIELDS);
}

/** Several fields may hold a year: one is enough. @param {any[]} fields */
function yearField(fields) {
  const times = fields.filter(isTime);
  const named = YEARS.map((name) => times.find((field) => field.name === name)).find(Boolean);
  return named ?? times.sort((a, b) => b.documents - a.documents)[0];
}

/** What people filter by most comes first. @param {any} field */
const rank = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

/** @param {any} field @param {Get} get @param {Set} set @returns {any} */
function control(field, get, set) {
  if (isTime(field)) return range(field, get, set);
  const isFew = field.distinct > 1 && field.distinct <= MOST_VALUES;
  return isFew && typeof field.least === "string" ? values(field, get, set) : null;
}

/** Years as numbers, or dates that begin with one. @param {any} field */
const isTime = ({ least, most }) =>
  [least, most].every((end) => /^(1[0-9]|2[01])\d\d(?!\d)/.test(String(end)));

/** From one year to another. @param {any} field @param {Get} get @param {Set} set */
function range(field, get, set) {
  const year = (/** @type {any} */ value) => String(value).slice(0, 4);
  /** @param {string} says @param {string} operator */
  const end = (says, operator) => {
    const input = h("input", {
      type: "number", min: year(field.least), max: year(field.most), step: 1,
      placeholder: year(operator === ">=" ? field.least : field.most), "aria-label": `Year ${says}`,
    });
    input.addEventListener("change", () => set(field.name, operator, input.value ? [input.value] : []));
    return { input, operator };
  };
  const ends = [end("from", ">="), end("to", "<=")];
  const element = h("fieldset", { class: "field" }, h("legend", {}, "Year"),
    ends[0].input, h("span", { class: "muted" }, "to"), ends[1].input);
  const update = () => ends.forEach(({ input, operator }) => {
    input.value = year(get(field.name, operator)[0] ?? "");
  });
  return { element, update };
}

/** Any of a field's values: typed, or chosen among the most frequent. @param {any} field @param {Get} get @param {Set} set */
function values(field, get, set) {
  const known = `values-of-${field.name}`;
  const chips = h("span", { class: "chips" });
  const input = h("input", { type: "text", list: known, autocomplete: "off", "aria-label": fieldName(field.name, field.label) });
  const options = h("datalist", { id: known }, ...field.values.map((/** @type {any} */ one) =>
    h("option", { value: one.value }, counted(one.documents, "record"))));
  input.addEventListener("change", () => {
    const value = input.value.trim();
    input.value = "";
    if (value) set(field.name, "=", [...new Set([...get(field.name, "="), value])]);
  });
  const element = h("fieldset", { class: "field" }, h("legend", {}, fieldName(field.name, field.label)), chips, input, options);
  const update = () => {
    const now = get(field.name, "=");
    input.placeholder = now.length ? "or …" : "any";
    fill(chips, ...now.map((/** @type {string} */ value) => h("button", {
      type: "button", class: "chip", "aria-label": `Do not ask for ${value}`,
      on: { click: () => set(field.name, "=", now.filter((/** @type {string} */ one) => one !== value)) },
    }, value, " ×")));
  };
  return { element, update };
}
