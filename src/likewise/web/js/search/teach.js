// What to do where there is nothing to see yet.

import { h } from "../dom.js";
import { counted } from "../format.js";

/** @param {string} index @param {any} info @param {boolean} onlyUnlike */
export function teach(index, info, onlyUnlike) {
  if (!info.documents) {
    return h("section", { class: "empty" }, h("h2", {}, "This index is empty"),
      h("p", {}, "Put documents into it on the command line: ",
        h("code", {}, `likewise add ${index}.idx papers/`)));
  }
  if (onlyUnlike) {
    return h("section", { class: "empty" }, h("h2", {}, "What should it be like?"),
      h("p", {}, "There are examples of what you do not want. Add words, or one document that you do."));
  }
  /** @param {string} title @param {string} text */
  const step = (title, text) => h("li", {}, h("strong", {}, title), h("span", {}, text));
  return h("section", { class: "empty teach" },
    h("h2", {}, "Show it documents; it finds the rest."),
    h("p", { class: "lead" }, `${counted(info.documents, "record")} to look through. There are two ways to begin, and they go together.`),
    h("ul", { class: "plain ways" },
      step("Type a few words", "and press Enter."),
      step("Bring a document", "that is like what you look for: paste its text, or drop a file anywhere on this page."),
      step("Then say what you think", "of the results. Each thumb, up or down, improves what comes below it.")));
}

/** @param {import("./asked.js").Asked} asked */
export function noneFound(asked) {
  const hint = asked.filter
    ? "No record passes the filter and matches. Make it wider, or clear it."
    : "No record has any of these words. Try others, or paste a text that says the same.";
  return h("section", { class: "empty" }, h("h2", {}, "Nothing found"), h("p", {}, hint));
}
