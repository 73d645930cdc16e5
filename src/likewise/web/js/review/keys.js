// Judging by keyboard: the keys, and a switch for them.

import { h } from "../dom.js";
import { panel } from "../panel.js";
import * as store from "../store.js";

const KEY = "keys";
/** The key for each action; `likewise review` has the same ones. */
const KEYS = {
  relevant: "y", not: "n", unsure: "u", next: "j", previous: "k", why: "w", undo: "z", redo: "Z",
};
const ACTIONS = new Map(Object.entries(KEYS).map(([action, key]) => [key, action]));

/** @param {() => Record<string, () => void>} actions what can be done now, by the names in KEYS */
export function keysPanel(actions) {
  const ended = new AbortController();
  const on = h("input", { type: "checkbox", id: "keys-on" });
  on.checked = store.local.get(KEY) !== "off";
  on.addEventListener("change", () => store.local.set(KEY, on.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    const action = actions()[ACTIONS.get(event.key) ?? ""];
    if (!on.checked || !action || isTaken(event)) return;
    event.preventDefault();
    action();
  }, { signal: ended.signal });
  const rows = Object.entries(KEYS).map(([action, key]) =>
    h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, action === "not" ? "not relevant" : action)));
  const element = panel("Keys", {}, h("dl", { class: "keys" }, ...rows),
    h("p", { class: "check" }, on, h("label", { for: "keys-on" }, "Keys judge and move")));
  return { element, close: () => ended.abort() };
}

/** Typing, shortcuts of the browser, and dialogs keep their keys. @param {KeyboardEvent} event */
function isTaken(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = /** @type {Element} */ (event.target);
  return Boolean(document.querySelector("dialog[open]")
    || target.closest('input:not([type="checkbox"]), textarea, select'));
}
