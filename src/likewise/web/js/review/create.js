// The form that begins a review, perhaps with what a search ended with.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { counted } from "../format.js";
import { methodChoice, REVIEWING } from "../methods.js";
import { go, reviewAddress } from "../router.js";
import { KEY } from "../search/reviewLink.js";
import * as store from "../store.js";
import { protocolFields } from "./about.js";
import { knownPart } from "./known.js";
import { RATES, rateInWords } from "./settings.js";

/** @param {string} index */
export function createForm(index) {
  let start = startOf(index);
  const name = h("input", { id: "review-name", name: "name", required: true, maxlength: 200, autocomplete: "off" });
  const words = h("input", { id: "review-words", name: "words", autocomplete: "off" });
  const examples = h("p", { class: "row" });
  const problem = h("p", { class: "bad", role: "alert" });
  const begin = h("button", { class: "primary" }, "Begin");
  const protocol = protocolFields();
  const known = knownPart(index);
  const team = teamFields();
  const more = settingFields((error) => {
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
    const { outside, ...prior } = known.value();
    const given = {
      name: name.value.trim(), words: words.value.trim() || null, ...prior, ...more.value(), ...team.value(),
      positive: [...start.positive, ...outside], negative: start.negative, protocol: protocol.value(),
    };
    try {
      const made = await api.reviews(index).create(given);
      store.session.remove(KEY);
      go(reviewAddress(index, made.name));
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      problem.scrollIntoView({ block: "nearest" });
      begin.disabled = false;
    }
  }

  return h("form", { class: "panel create stack", on: { submit: create } },
    h("h2", {}, "Begin a review"),
    field("Name", name), field("Words to begin with (optional)", words), examples,
    fold("What you know already", known.element), fold("Question, criteria, reasons and tags", protocol.element),
    fold("Reviewers", team.element), fold("More settings", more.element),
    problem, h("div", { class: "row" }, begin));
}

function teamFields() {
  const names = h("input", { id: "team-names", autocomplete: "off", placeholder: "ann, ben" });
  const agree = h("input", { id: "team-agree", type: "number", min: 1, max: 100, value: 1 });
  const adjudicator = h("input", { id: "team-adjudicator", autocomplete: "off" });
  const blinded = h("input", { type: "checkbox", id: "team-blinded" });
  const share = h("select", { id: "team-share" }, h("option", { value: "all" }, "Every reviewer judges every record"),
    h("option", { value: "shared" }, "They share the records: each is judged once"));
  agree.addEventListener("input", () => { agree.dataset.said = ""; });
  // Where two judge the same records both must agree, unless something else is said.
  const suggest = () => {
    if (agree.dataset.said === undefined) agree.value = String(list().length > 1 && share.value === "all" ? 2 : 1);
  };
  for (const [field, event] of /** @type {[Element, string][]} */ ([[names, "input"], [share, "change"]])) field.addEventListener(event, suggest);
  const list = () => names.value.split(/[,;\n]/).map((/** @type {string} */ one) => one.trim()).filter(Boolean);
  return {
    element: h("div", { class: "stack" },
      field("Names of the reviewers, with commas between (you alone: leave it empty)", names), field("Who judges what", share),
      field("How many must agree", agree), field("Who decides where they differ", adjudicator),
      h("p", { class: "check" }, blinded, h("label", { for: blinded.id }, "Nobody sees others’ judgements of a record before judging it"))),
    value: () => ({
      overlap: share.value === "all",
      ...(list().length ? { team: {
        reviewers: list(), agree: Number(agree.value), blinded: blinded.checked, adjudicator: adjudicator.value.trim(),
      } } : {}),
    }),
  };
}

/** @param {(error: Error) => void} onProblem */
function settingFields(onProblem) {
  const stage = h("select", { id: "review-stage" }, h("option", { value: "title/abstract" }, "Titles and abstracts"),
    h("option", { value: "full text" }, "Full texts of what is relevant"));
  const size = h("input", { id: "review-size", name: "size", type: "number", min: 1, max: 100, value: 10 });
  const random = h("select", { id: "review-random" },
    ...RATES.map((rate) => h("option", { value: rate }, rateInWords(rate))));
  const seed = h("input", { id: "review-seed", type: "number", min: 0, max: 4294967295, value: 0 });
  const method = methodChoice("review-method", api.methods().then(({ feedback }) => feedback), REVIEWING);
  method.filled.catch(onProblem);
  return {
    element: h("div", { class: "stack" }, field("What is judged", stage), field("Records a page", size),
      field("Random pages mixed in", random, "They tell how many relevant records are left, whatever the ranking is worth."),
      field("Seed of random choices", seed, "The same seed draws the same records again."), method.element),
    value: () => ({
      stage: stage.value, page_size: Number(size.value), random_rate: Number(random.value), seed: Number(seed.value),
      method: method.select.value,
    }),
  };
}

/** @param {string} title @param {Element} body */
const fold = (title, body) => h("details", { class: "part" }, h("summary", {}, title), body);

/** @param {string} label @param {Element} control @param {string} [hint] */
const field = (label, control, hint) => h("div", { class: "labelled" }, h("label", { for: control.id }, label), control,
  hint && h("p", { class: "muted hint" }, hint));

const nothing = () => ({ words: "", positive: /** @type {any[]} */ ([]), negative: /** @type {any[]} */ ([]) });

/** @param {string} index */
function startOf(index) {
  const kept = JSON.parse(store.session.get(KEY) ?? "null");
  return kept?.index === index ? kept : nothing();
}
