// How it was done, for those who want to know: folded, so that it is in nobody's way.

import { h } from "./dom.js";
import { sentence } from "./format.js";

/** @typedef {[string, string | number | null | undefined | false][]} Facts a name and a value each */

/** @param {Facts} facts those without a value are left out @param {string} [title] */
export function details(facts, title = "Details") {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "");
  return h("details", { class: "details" }, h("summary", {}, title),
    h("dl", {}, ...shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}

/** @param {string} about */
const plain = (about) => sentence(about).replace(/\.$/, "");

/** What a method does, after its name. @param {{ name: string, about: string }[]} methods @param {string} name */
export function described(methods, name) {
  const about = methods.find((one) => one.name === name)?.about;
  return about ? `${name}: ${about}` : name;
}

const EXPERT = /SVM|sphere|search by example/; // words that say little to most people
const AUTO = "Automatic: what fits the examples and judgements so far";

/**
 * A choice of methods in plain words, behind a fold, filled when they are known. Their names, which
 * programs use, stand behind each choice.
 * @param {string} id @param {Promise<{ name: string, about: string }[]>} methods
 */
export function methodChoice(id, methods) {
  const select = h("select", { id, name: "method" }, h("option", { value: "auto" }, AUTO));
  let wanted = "auto";
  const element = h("details", { class: "details" }, h("summary", {}, "How it learns"),
    h("div", { class: "labelled" }, h("label", { for: id, class: "visually-hidden" }, "How it learns"), select));
  const filled = methods.then((known) => {
    const option = (/** @type {{ name: string, about: string }} */ { name, about }) =>
      h("option", { value: name, title: name }, name === "auto" ? AUTO : plain(about));
    const [everybody, experts] = [false, true].map((is) => known.filter(({ about }) => EXPERT.test(about) === is));
    select.replaceChildren(...everybody.map(option), h("optgroup", { label: "For experts" }, ...experts.map(option)));
    select.value = wanted;
  });
  return {
    element,
    select,
    filled,
    /** @param {string} name */
    choose(name) {
      wanted = name;
      select.value = name;
      if (name !== "auto") element.open = true;
    },
  };
}
