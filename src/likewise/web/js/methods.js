// How a search or a review learns: a few ways in plain words, all others by name behind a fold.

import { h, fill } from "./dom.js";
import { sentence } from "./format.js";

/** @typedef {{ name: string, about: string }} Method */

/** The few of a search, the best for most first. @type {Record<string, string>} */
export const SEARCHING = {
  auto: "Automatic: whatever suits your examples (best for most searches)",
  centroid: "Closest to your examples on average (quickest)",
  rocchio: "Like your examples, and unlike all the rest",
};

/** The few of a review. @type {Record<string, string>} */
export const REVIEWING = {
  auto: "Automatic: whatever suits what is judged so far (best for most reviews)",
  "two-class": "Always learn to tell relevant records from the others",
  rocchio: "Keep to the words, and move them towards what is relevant",
  none: "Do not learn: keep the order of the words",
};

/** What a method does, after its name. @param {Method[]} methods @param {string} name */
export function described(methods, name) {
  const about = methods.find((one) => one.name === name)?.about;
  return about ? `${name}: ${about}` : name;
}

/** For everybody, where that is possible. @param {Record<string, string>} few @param {Method[]} methods @param {string} name */
export const inPlainWords = (few, methods, name) => few[name] ?? sentence(described(methods, name)).replace(/\.$/, "");

/**
 * A choice of methods behind a fold. What is chosen is always the value of `select`, which has them all.
 * @param {string} id @param {Promise<Method[]>} methods @param {Record<string, string>} few
 */
export function methodChoice(id, methods, few) {
  let wanted = "auto";
  const select = h("select", { id, name: "method" }, h("option", { value: "auto" }, "auto"));
  const radios = Object.keys(few).map((name) => h("input", {
    type: "radio", name: `${id}-few`, id: `${id}-${name}`, value: name, on: { change: () => {
      select.value = name;
      select.dispatchEvent(new Event("change"));
    } },
  }));
  const all = h("details", { class: "details" }, h("summary", {}, "All methods"),
    h("div", { class: "labelled" }, h("label", { for: id }, "For those who know them by name"), select));
  const element = h("details", { class: "details methods-choice" }, h("summary", {}, "How it learns"),
    h("fieldset", { class: "stack" }, h("legend", { class: "visually-hidden" }, "How it learns"),
      ...radios.map((radio) => h("p", { class: "check" }, radio, h("label", { for: radio.id }, few[radio.value]))), all));

  function show() {
    radios.forEach((radio) => {
      radio.checked = radio.value === select.value;
    });
    if (!(select.value in few)) all.open = true;
  }

  select.addEventListener("change", show);
  const filled = methods.then((known) => {
    fill(select, ...known.map(({ name }) => h("option", { value: name }, described(known, name))));
    select.value = wanted;
    show();
  });
  show();
  return {
    element,
    select,
    filled,
    /** @param {string} name */
    choose(name) {
      wanted = name;
      select.value = name;
      if (name !== "auto") element.open = true;
      if (select.value === name) show();
    },
  };
}
