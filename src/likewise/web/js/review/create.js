// The form that begins a review, perhaps with what a search ended with.

import * as api from "../api.js";
import { methodChoice } from "../details.js";
import { h, button, fill } from "../dom.js";
import { counted } from "../format.js";
import { go, reviewAddress } from "../router.js";
import { KEY } from "../search/reviewLink.js";
import * as store from "../store.js";

/** @param {string} index */
export function createForm(index) {
  let start = startOf(index);
  const name = h("input", { id: "review-name", name: "name", required: true, maxlength: 200, autocomplete: "off" });
  const words = h("input", { id: "review-words", name: "words", autocomplete: "off" });
  const size = h("input", { id: "review-size", name: "size", type: "number", min: 1, max: 100, value: 10 });
  const method = methodChoice("review-method", api.methods().then(({ feedback }) => feedback));
  const examples = h("p", { class: "row" });
  const problem = h("p", { class: "bad", role: "alert" });
  const begin = h("button", { class: "primary" }, "Begin");
  method.filled.catch((error) => {
    problem.textContent = error.message;
  });
  words.value = start.words;
  showExamples();

  function showExamples() {
    const number = start.positive.length + start.negative.length;
    fill(examples, number > 0 && `with ${counted(number, "example")} from your search`, number > 0 &&
      button("Leave them out", () => { start = nothing(); showExamples(); }, { class: "link" }));
    examples.hidden = !number;
  }

  /** @param {Event} event */
  async function create(event) {
    event.preventDefault();
    if (begin.disabled) return; // it has begun: Enter was pressed twice
    begin.disabled = true;
    problem.textContent = "";
    const { positive, negative } = start;
    const given = {
      name: name.value.trim(), words: words.value.trim() || null, positive, negative,
      method: method.select.value, page_size: Number(size.value),
    };
    try {
      const made = await api.reviews(index).create(given);
      store.session.remove(KEY);
      go(reviewAddress(index, made.name));
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      begin.disabled = false;
    }
  }

  return h("form", { class: "panel create stack", on: { submit: create } },
    h("h2", {}, "Begin a review"),
    field("Name", name), field("Words to begin with (optional)", words), examples,
    field("Documents a page", size), method.element,
    problem, h("div", { class: "row" }, begin));
}

/** @param {string} label @param {Element} control */
const field = (label, control) => h("div", { class: "labelled" }, h("label", { for: control.id }, label), control);

const nothing = () => ({ words: "", positive: /** @type {any[]} */ ([]), negative: /** @type {any[]} */ ([]) });

/** @param {string} index */
function startOf(index) {
  const kept = JSON.parse(store.session.get(KEY) ?? "null");
  return kept?.index === index ? kept : nothing();
}
