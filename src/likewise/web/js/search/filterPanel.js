// Which documents may be found: by year or date, by fields with few values, or as text.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { counted } from "../format.js";
import { tellProblem } from "../notices.js";
import { panel } from "../panel.js";

const MOST_FIELDS = 4;
const MOST_VALUES = 500; // different ones of a field that is worth a list

/** @param {string} index @param {{ onFilter: (filter: string) => void }} act */
export function filterPanel(index, { onFilter }) {
  /** What holds now, as text and taken apart by the server. */
  let current = { filter: "", conditions: /** @type {api.Condition[]} */ ([]) };
  /** @type {{ element: HTMLElement, update: () => void }[]} */
  let controls = [];
  const choices = h("div", { class: "filter-fields" });
  const text = h("input", {
    id: "filter", name: "filter", type: "text", autocomplete: "off", spellcheck: "false",
    placeholder: "year>=2019 source=Nature",
  });
  const clear = button("Clear", () => onFilter(""), { class: "link", "aria-label": "Clear the filter" });
  const form = h("form", { class: "row tight" },
    h("label", { for: "filter", class: "visually-hidden" }, "Filter"), text,
    h("button", { class: "small" }, "Apply"));
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    void apply({ filter: text.value.trim() });
  });
  const problem = h("p", { class: "bad", role: "alert" });
  const element = panel("Filter", { action: clear }, choices, form, problem);

  /** Have the server check it first. @param {Parameters<typeof api.filter>[0]} given */
  async function apply(given) {
    try {
      current = await api.filter(given);
      onFilter(current.filter);
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {string} field @param {string} operator */
  const isOf = (field, operator) => (/** @type {api.Condition} */ one) => one.field === field && one.operator === operator;
  const get = (/** @type {string} */ field, /** @type {string} */ operator) =>
    current.conditions.find(isOf(field, operator))?.values ?? [];
  /** Without values there is no condition. @param {string} field @param {string} operator @param {string[]} values */
  function set(field, operator, values) {
    const is = isOf(field, operator);
    const others = current.conditions.filter((one) => !is(one));
    void apply({ conditions: values.length ? [...others, { field, operator, values }] : others });
  }

  function show() {
    text.value = current.filter;
    clear.hidden = !current.filter;
    problem.textContent = "";
    controls.forEach((one) => one.update());
  }

  api.fields(index).then((/** @type {any[]} */ fields) => {
    controls = [...fields].sort((a, b) => Number(isTime(b)) - Number(isTime(a))).map((field) => control(field, get, set)).filter(Boolean).slice(0, MOST_FIELDS);
    fill(choices, ...controls.map((one) => one.element));
    controls.forEach((one) => one.update());
  }, tellProblem);

  return {
    element,
    /** @param {import("./asked.js").Asked} asked */
    async update({ filter }) {
      if (filter !== current.filter) {
        current = { filter, conditions: [] };
        const apart = filter ? await api.filter({ filter }).catch(() => null) : null; // the search says why
        if (current.filter !== filter) return; // it has changed meanwhile
        if (apart) current = { filter, conditions: apart.conditions };
      }
      show();
    },
  };
}

/** @param {any} field @param {any} get @param {any} set @returns {any} */
function control(field, get, set) {
  if (isTime(field)) return range(field, get, set);
  const isFew = field.distinct > 1 && field.distinct <= MOST_VALUES;
  return isFew && typeof field.least === "string" ? values(field, get, set) : null;
}

/** Years as numbers, or dates that begin with one. @param {any} field */
const isTime = ({ least, most }) =>
  [least, most].every((end) => /^(1[0-9]|2[01])\d\d(?!\d)/.test(String(end)));

/** From one year to another. @param {any} field @param {any} get @param {any} set */
function range(field, get, set) {
  const year = (/** @type {any} */ value) => String(value).slice(0, 4);
  /** @param {string} says @param {string} operator */
  const end = (says, operator) => {
    const input = h("input", {
      type: "number", min: year(field.least), max: year(field.most), step: 1,
      placeholder: year(operator === ">=" ? field.least : field.most), "aria-label": `${field.name} ${says}`,
    });
    input.addEventListener("change", () => set(field.name, operator, input.value ? [input.value] : []));
    return { input, operator };
  };
  const ends = [end("from", ">="), end("to", "<=")];
  const element = h("fieldset", { class: "field" }, h("legend", {}, field.name),
    ends[0].input, h("span", { class: "muted" }, "to"), ends[1].input);
  const update = () => ends.forEach(({ input, operator }) => {
    input.value = year(get(field.name, operator)[0] ?? "");
  });
  return { element, update };
}

/** Any of a field's values: typed, or chosen among the most frequent. @param {any} field @param {any} get @param {any} set */
function values(field, get, set) {
  const known = `values-of-${field.name}`;
  const chips = h("span", { class: "chips" });
  const input = h("input", { type: "text", list: known, autocomplete: "off", "aria-label": field.name });
  const options = h("datalist", { id: known }, ...field.values.map((/** @type {any} */ one) =>
    h("option", { value: one.value }, counted(one.documents, "document"))));
  input.addEventListener("change", () => {
    const value = input.value.trim();
    input.value = "";
    if (value) set(field.name, "=", [...new Set([...get(field.name, "="), value])]);
  });
  const element = h("fieldset", { class: "field" }, h("legend", {}, field.name), chips, input, options);
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
