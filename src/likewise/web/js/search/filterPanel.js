// Which documents may be found: by fields, or by a filter as text. The server checks filters.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { tellProblem } from "../notices.js";
import { panel } from "../panel.js";
import { fieldControls } from "./filterFields.js";

/** @param {string} index @param {{ onFilter: (filter: string) => void }} act */
export function filterPanel(index, { onFilter }) {
  const filter = checkedFilter();
  /** @type {ReturnType<typeof fieldControls>} */
  let controls = [];
  const choices = h("div", { class: "filter-fields" });
  const text = h("input", {
    id: "filter", name: "filter", type: "text", autocomplete: "off", spellcheck: "false",
    placeholder: "year>=2019 source=Nature",
  });
  const clear = button("Clear", () => onFilter(""), { class: "link", "aria-label": "Clear the filter" });
  const problem = h("p", { class: "bad", role: "alert" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    apply(filter.replace(text.value.trim()));
  };
  const form = h("form", { class: "row tight", on: { submit } },
    h("label", { for: "filter", class: "visually-hidden" }, "Filter"), text,
    h("button", { class: "small" }, "Apply"));

  /** @param {Promise<string>} changed */
  const apply = (changed) => void changed.then(onFilter, (error) => {
    problem.textContent = error.message;
  });

  function show() {
    text.value = filter.text;
    clear.hidden = !filter.text;
    problem.textContent = "";
    controls.forEach((one) => one.update());
  }

  api.fields(index).then((fields) => {
    controls = fieldControls(fields, filter.values, (...given) => apply(filter.set(...given)));
    fill(choices, ...controls.map((one) => one.element));
    controls.forEach((one) => one.update());
  }, tellProblem);

  return {
    element: panel("Filter", { action: clear }, choices, form, problem),
    /** @param {import("./asked.js").Asked} asked */
    update: ({ filter: now }) => filter.load(now).then(show),
  };
}

/** A filter as text and as conditions, which only the server can tell from each other. */
function checkedFilter() {
  let current = { filter: "", conditions: /** @type {api.Condition[]} */ ([]) };
  /** One change after the other, each of what the one before has left. @type {Promise<any>} */
  let last = Promise.resolve();

  /** @param {() => Parameters<typeof api.filter>[0]} given @returns {Promise<string>} the text */
  function change(given) {
    const changed = last.then(async () => {
      current = await api.filter(given());
      return current.filter;
    });
    last = changed.catch(() => {});
    return changed;
  }

  return {
    get text() {
      return current.filter;
    },
    /** @param {string} field @param {string} operator */
    values: (field, operator) =>
      current.conditions.find((one) => one.field === field && one.operator === operator)?.values ?? [],
    /** @param {string} text */
    replace: (text) => change(() => ({ filter: text })),
    /** Without values there is no condition. @param {string} field @param {string} operator @param {string[]} values */
    set: (field, operator, values) => change(() => {
      const others = current.conditions.filter((one) => one.field !== field || one.operator !== operator);
      return { conditions: values.length ? [...others, { field, operator, values }] : others };
    }),
    /** What the address says; where it is not understood, the search says why. @param {string} text */
    async load(text) {
      if (text === current.filter) return;
      current = { filter: text, conditions: [] };
      const apart = text ? await api.filter({ filter: text }).catch(() => null) : null;
      if (apart && current.filter === text) current = { filter: text, conditions: apart.conditions };
    },
  };
}
