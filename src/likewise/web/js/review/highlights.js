// Words that the reader wants to see at once, each in a colour.

import { h, button, fill } from "../dom.js";
import { panel } from "../panel.js";
import { tellProblem } from "../notices.js";

/** @typedef {ReturnType<typeof import("./preferences.js").preferences>} Own */

/** @param {Own} own */
export function highlightsPanel(own) {
  const input = h("input", { id: "highlight-word", autocomplete: "off", maxlength: 100, placeholder: "randomi*" });
  const colour = h("select", { id: "highlight-colour", "aria-label": "Colour" });
  const chips = h("ul", { class: "plain chips" });
  /** @param {import("../why/marks.js").Own[]} highlights */
  const set = (highlights) => own.set({ highlights }).catch(tellProblem);
  const add = (/** @type {Event} */ event) => {
    event.preventDefault();
    const word = input.value.trim();
    if (!word) return;
    input.value = "";
    void set([...own.highlights().filter((one) => one.word.toLowerCase() !== word.toLowerCase()), { word, colour: colour.value }]);
  };
  const show = () => {
    if (!colour.options.length) fill(colour, ...own.colours().map((name) => h("option", { value: name }, name)));
    fill(chips, ...own.highlights().map((one) => h("li", {}, h("mark", { class: `own ${one.colour}` }, one.word),
      button(`Do not highlight ${one.word}`, () => set(own.highlights().filter((other) => other !== one)),
        { icon: "close", class: "quiet" }))));
  };
  own.listen(show);
  const element = panel("Highlights", {},
    h("p", { class: "muted" }, "Your own words, marked in every record. A * stands for any ending."), chips,
    h("form", { class: "row tight", on: { submit: add } },
      h("label", { for: "highlight-word", class: "visually-hidden" }, "Word to highlight"), input, colour,
      h("button", { class: "small" }, "Add")));
  return {
    element,
    focus() {
      element.open = true;
      input.focus();
    },
  };
}
