// Where the server wants a token, it is asked for once and kept while the tab is open.

import { h } from "./dom.js";
import * as store from "./store.js";

const KEY = "token";
/** @type {Promise<void> | null} */
let asking = null;

export const stored = () => store.session.get(KEY);
export const forget = () => store.session.remove(KEY);

/**
 * Ask for a token; all requests that wait for one share the question.
 * @param {boolean} again whether the last one was refused
 * @returns {Promise<void>}
 */
export function tokenFrom(again) {
  asking ??= ask(again).finally(() => {
    asking = null;
  });
  return asking;
}

/** @param {boolean} again @returns {Promise<void>} */
function ask(again) {
  return new Promise((resolve) => {
    const input = h("input", {
      id: "token", type: "password", autocomplete: "current-password", required: true,
    });
    const form = h("form", { method: "dialog", class: "stack" },
      h("h2", { id: "token-title" }, "This server asks for a token"),
      h("p", {}, again ? "The last one was not accepted. " : "",
        "Whoever runs the server has given you one. It is kept until this tab is closed."),
      h("label", { for: "token" }, "Token"), input,
      h("div", { class: "row" }, h("button", { class: "primary" }, "Go on")));
    const dialog = h("dialog", { "aria-labelledby": "token-title" }, form);
    form.addEventListener("submit", () => {
      store.session.set(KEY, input.value.trim());
      dialog.close();
      dialog.remove();
      resolve();
      window.dispatchEvent(new Event("token")); // somebody else may be here now
    });
    dialog.addEventListener("cancel", (/** @type {Event} */ event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
  });
}

