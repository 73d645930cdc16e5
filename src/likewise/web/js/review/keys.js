// Judging by keyboard: the keys, a switch for them, and a way to change them. Which keys there are
// is the server's to say (reviews/keys.py): the terminal has the same.

import { h, button, fill } from "../dom.js";
import { panel } from "../panel.js";
import * as store from "../store.js";
import { dialog } from "./dialog.js";

const KEY = "keys";
const BRIEF = ["relevant", "not", "unsure", "reasons", "note", "undo", "why", "help"];

/** @typedef {Record<string, (digit: number) => void>} Actions by the names of the server, and "digit" */

/**
 * @param {ReturnType<typeof import("./preferences.js").preferences>} own
 * @param {() => Actions} actions what can be done now
 */
export function keysPanel(own, actions) {
  const ended = new AbortController();
  const on = h("input", { type: "checkbox", id: "keys-on" });
  on.checked = store.local.get(KEY) !== "off";
  on.addEventListener("change", () => store.local.set(KEY, on.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (!on.checked || isTaken(event)) return;
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
    const name = digit ? "digit" : own.keys().find(({ key }) => key === event.key)?.action ?? "";
    const action = name === "help" ? () => help(own, actions()) : actions()[name];
    if (!action) return;
    event.preventDefault();
    action(digit);
  }, { signal: ended.signal });
  const list = h("dl", { class: "keys" });
  const show = () => fill(list, ...rows(own.keys().filter(({ action }) => BRIEF.includes(action)
    && (action === "help" || action in actions()))));
  own.listen(show);
  const element = panel("Keys", {}, list,
    button("All keys, and change them …", () => help(own, actions()), { class: "link" }),
    h("p", { class: "check" }, on, h("label", { for: "keys-on" }, "Keys judge and move")));
  return { element, show, close: () => ended.abort() };
}

/** @param {import("./preferences.js").Key[]} keys */
const rows = (keys) => keys.map(({ key, says }) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, says)));

/** @param {ReturnType<typeof import("./preferences.js").preferences>} own @param {Actions} actions */
function help(own, actions) {
  const shown = own.keys().filter(({ action }) => action in actions || action === "help");
  const digits = "digit" in actions && h("div", {}, h("dt", {}, h("kbd", {}, "1"), " … ", h("kbd", {}, "9")),
    h("dd", {}, "not relevant, for this reason of the list"));
  const element = dialog("Keys", [h("dl", { class: "keys" }, ...rows(shown), digits),
    button("Change the keys …", () => {
      element.close();
      change(own);
    }, { class: "link" })]);
}

/** @param {ReturnType<typeof import("./preferences.js").preferences>} own */
function change(own) {
  const inputs = own.keys().map(({ action, key, says }) => {
    const input = h("input", { id: `key-${action}`, name: action, maxlength: 1, size: 2, required: true, autocomplete: "off" });
    input.value = key;
    input.addEventListener("focus", () => input.select());
    return { input, says };
  });
  const usual = () => own.keys().forEach(({ usual: key }, i) => {
    inputs[i].input.value = key;
  });
  dialog("Change the keys", [
    h("p", { class: "muted" }, "They are yours in all reviews, here and in the terminal."),
    h("div", { class: "key-fields" }, ...inputs.map(({ input, says }) =>
      h("p", {}, input, h("label", { for: input.id }, says)))),
    button("The usual keys", usual, { class: "link" }),
  ], {
    done: "Save", wide: true,
    onDone: () => own.set({ keys: Object.fromEntries(inputs.map(({ input }) => [input.name, input.value])) }),
  });
}

/** Typing, shortcuts of the browser, and dialogs keep their keys. @param {KeyboardEvent} event */
function isTaken(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = /** @type {Element} */ (event.target);
  return Boolean(document.querySelector("dialog[open]")
    || target.closest('input:not([type="checkbox"]), textarea, select'));
}
