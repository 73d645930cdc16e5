// What is known before a review begins: found by searching, pasted, in a file, or as labels in the records.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { counted } from "../format.js";
import { tellProblem } from "../notices.js";
import { readFiles } from "../search/documents.js";

/** @typedef {{ id: string, title: string, label: "relevant" | "not" }} Paper a record */
/** @typedef {{ title: string, text: string }} Outside */

const FOUND = 8; // results of a search

/** @param {string} index */
export function knownPart(index) {
  /** @type {Map<string, Paper>} */
  const papers = new Map();
  /** @type {Outside[]} */
  let outside = [];
  const list = h("ul", { class: "plain known-list" });
  const said = h("div", { role: "status" });
  const labels = labelsBox(index);

  /** @param {Paper[]} found */
  function add(found) {
    found.forEach((paper) => papers.set(paper.id, paper));
    show();
  }

  function show() {
    fill(list, ...[...papers.values()].map((paper) => h("li", {},
      h("span", { class: `label ${paper.label}` }, paper.label === "not" ? "not relevant" : "relevant"),
      h("span", {}, paper.title || paper.id),
      button(`Leave out ${paper.title || paper.id}`, () => { papers.delete(paper.id); show(); }, { icon: "close", class: "quiet" }))),
      ...outside.map((paper) => h("li", {}, h("span", { class: "label" }, "example"), h("span", {}, paper.title || paper.text.slice(0, 80)),
        button(`Leave out ${paper.title}`, () => { outside = outside.filter((one) => one !== paper); show(); }, { icon: "close", class: "quiet" }))));
  }

  /** Say what was found, and name what was not. @param {any} answer @param {"relevant" | "not"} label @param {Outside[]} [given] */
  function take({ found, unknown, outside: places }, label, given = []) {
    add(found.map((/** @type {any} */ one) => ({ id: one.id, title: one.title, label })));
    const others = places.map((/** @type {number} */ place) => given[place]);
    outside = [...outside, ...others];
    show();
    fill(said, h("p", { class: "muted" }, `${counted(found.length, "paper")} found among the records${
      others.length ? `, ${counted(others.length, "other")} taken as ${others.length > 1 ? "examples" : "an example"}` : ""}.`),
      unknown.length > 0 && h("p", { class: "bad" }, `Not among the records: ${unknown.join(", ")}`));
  }

  return {
    element: h("fieldset", { class: "stack known" }, h("legend", {}, "What you know already"),
      h("p", { class: "muted" }, "A few relevant papers, and some that are not, make the first page better. All of this is optional."),
      searchBox(index, (paper) => add([paper])), pasteBox(index, take), fileBox(index, take), labels.element, said, list),
    value: () => ({
      known: [...papers.values()].filter(({ label }) => label === "relevant").map(({ id }) => id),
      known_not: [...papers.values()].filter(({ label }) => label === "not").map(({ id }) => id),
      labels: labels.value(), outside,
    }),
  };
}

/** @param {string} index @param {(paper: Paper) => void} onChoose */
function searchBox(index, onChoose) {
  const words = h("input", { id: "known-words", type: "search", autocomplete: "off", placeholder: "title, author, words" });
  const results = h("ul", { class: "plain found-list" });
  const look = async () => {
    if (!words.value.trim()) return fill(results);
    try {
      const { hits } = await api.search(index, { words: words.value.trim(), limit: FOUND, snippet: 0 }, new AbortController().signal, () => {});
      return fill(results, ...hits.map((hit) => h("li", {}, h("span", {}, hit.title || hit.id), h("span", { class: "row" },
        ...(/** @type {const} */ (["relevant", "not"])).map((label) => button(label === "not" ? "Not relevant" : "Relevant", (event) => {
          onChoose({ id: hit.id, title: hit.title, label });
          event.target.closest("li").remove();
        }, { class: "small", "aria-label": `${label === "not" ? "Not relevant" : "Relevant"}: ${hit.title || hit.id}` }))))),
        !hits.length && h("li", { class: "muted" }, "Nothing found."));
    } catch (error) {
      return tellProblem(error);
    }
  };
  return h("div", { class: "labelled" }, h("label", { for: "known-words" }, "Search for papers you know"),
    h("div", { class: "row tight" }, onEnter(words, look), button("Search", look, { class: "small" })), results);
}

/** @param {string} index @param {(answer: any, label: "relevant" | "not") => void} take */
function pasteBox(index, take) {
  const text = h("textarea", { id: "known-names", rows: 3, placeholder: "10.1000/182\nPMID 31452104" });
  const add = (/** @type {"relevant" | "not"} */ label) => async () => {
    const names = text.value.split(/[\n;]+/).map((/** @type {string} */ one) => one.trim()).filter(Boolean);
    if (!names.length) return text.focus();
    try {
      const answer = await api.known(index, { names });
      take(answer, label);
      text.value = answer.unknown.join("\n"); // what is left to correct
    } catch (error) {
      tellProblem(error);
    }
  };
  return h("div", { class: "labelled" }, h("label", { for: "known-names" }, "Paste DOIs, PubMed ids, ids or titles, one a line"), text,
    h("div", { class: "row" }, button("Add as relevant", add("relevant"), { class: "small" }),
      button("Add as not relevant", add("not"), { class: "small" })));
}

/** @param {string} index @param {(answer: any, label: "relevant", given: Outside[]) => void} take */
function fileBox(index, take) {
  const input = h("input", { type: "file", id: "known-file", multiple: true, class: "visually-hidden" });
  api.formats().then(({ suffixes }) => input.setAttribute("accept", [...suffixes, ".gz"].join(",")), tellProblem);
  input.addEventListener("change", async () => {
    try {
      const { documents } = await readFiles([...input.files], true);
      take(await api.known(index, { papers: documents }), "relevant", documents.map(({ title, text }) => ({ title, text })));
    } catch (error) {
      tellProblem(error);
    }
    input.value = "";
  });
  return h("div", { class: "labelled" }, h("p", { class: "as-label" }, "A file of papers known to be relevant (RIS, NBIB, BibTeX, CSV …)"),
    h("div", {}, input, h("label", { for: input.id, class: "button small" }, "Choose a file …")));
}

/** Labels that stand in the records, if any do. @param {string} index */
function labelsBox(index) {
  const box = h("input", { type: "checkbox", id: "known-labels" });
  const text = h("label", { for: box.id });
  const element = h("p", { class: "check", hidden: true }, box, text);
  api.labels(index).then((labels) => {
    const parts = [labels.relevant && `${labels.relevant} relevant`, labels.not && `${labels.not} not relevant`, labels.unsure && `${labels.unsure} unsure`];
    element.hidden = !parts.some(Boolean);
    fill(text, `The records have labels (${parts.filter(Boolean).join(", ")}): take them as judgements`);
  }, tellProblem);
  return { element, value: () => box.checked };
}

/** Enter in one field of a form must not send it all. @param {any} input @param {() => void} act */
function onEnter(input, act) {
  input.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    act();
  });
  return input;
}
