// The learned query for the engine or database where other documents are: to copy, or as a file.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { download } from "../download.js";
import { tell, tellProblem } from "../notices.js";

/** @typedef {{ name: string, about: string, boolean: boolean }} Target */

/** @param {string} index @param {api.Learned} query */
export function elsewhere(index, query) {
  const body = h("div", { class: "stack" });
  const opened = (/** @type {any} */ event) => {
    if (event.target.open && !body.childElementCount) void choices(index, query, body);
  };
  return h("details", { class: "details elsewhere", on: { toggle: opened } },
    h("summary", {}, "Take this query elsewhere"), body);
}

/** @param {string} index @param {api.Learned} query @param {HTMLElement} body */
async function choices(index, query, body) {
  try {
    /** @type {Target[]} */
    const targets = (await api.methods()).targets;
    const group = (/** @type {string} */ label, /** @type {boolean} */ boolean) =>
      h("optgroup", { label }, ...targets.filter((one) => one.boolean === boolean)
        .map(({ name, about }) => h("option", { value: name }, about)));
    const to = h("select", { id: "elsewhere-to", on: { change: () => void show() } },
      h("option", { value: "" }, "Choose …"), group("That rank", false), group("That find what matches", true));
    const answer = h("div", { class: "stack", role: "status" });
    fill(body, h("label", { for: "elsewhere-to" }, "Engine or database"), to, answer);
    let asked = 0;
    const show = async () => {
      const turn = ++asked;
      if (!to.value) return fill(answer);
      fill(answer, "Writing it …");
      const url = api.address("indexes", index, "queries", query.id, "export");
      const terms = { off: query.off, pinned: query.pinned };
      try {
        const exported = await api.json("POST", url, { to: to.value, terms });
        if (turn === asked) fill(answer, ...written(exported));
      } catch (error) {
        if (turn === asked) fill(answer, error instanceof Error ? error.message : String(error));
      }
    };
  } catch (error) {
    tellProblem(error);
  }
}

/** @param {{ to: string, text: string, about: string, notes: string[] }} exported */
function written({ to, text, about, notes }) {
  const shown = h("pre", { class: "exported", tabindex: "0", "aria-label": "The query" }, text);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    tell("Copied.");
  };
  const suffix = text.startsWith("{") ? "json" : "txt";
  const save = () => download(new Blob([`${text}\n`], { type: "text/plain" }), `query-${to}.${suffix}`);
  return [shown, h("div", { class: "row" }, button("Copy", () => void copy().catch(tellProblem), { class: "small" }),
    button("Save as a file", save, { class: "small" })),
    h("p", {}, `It ${about}.`), ...notes.map((note) => h("p", {}, note))];
}
