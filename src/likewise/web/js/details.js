// How it was done, for those who want to know: folded, so that it is in nobody's way.

import { h } from "./dom.js";

/** @typedef {[string, string | number | null | undefined | false][]} Facts a name and a value each */

/** @param {Facts} facts those without a value are left out @param {string} [title] */
export function details(facts, title = "Details") {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "");
  return h("details", { class: "details" }, h("summary", {}, title),
    h("dl", {}, ...shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}
