// A dialog that is gone when it is closed; the focus goes back to where it was.

import { h, button } from "../dom.js";

let made = 0;

/**
 * @param {string} title
 * @param {any[]} children
 * @param {{ done?: string, onDone?: () => any, wide?: boolean }} [how] onDone: what the first button does; it may refuse
 *   by throwing, and the dialog stays
 */
export function dialog(title, children, { done = "", onDone, wide = false } = {}) {
  const id = `dialog-${++made}`;
  const problem = h("p", { class: "bad", role: "alert" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await onDone?.();
      element.close();
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const buttons = h("div", { class: "row" }, done && h("button", { class: "primary" }, done),
    button(done ? "Cancel" : "Close", () => element.close()));
  const element = h("dialog", { "aria-labelledby": id, class: wide ? "wide" : "" },
    h("form", { class: "stack", on: { submit } }, h("h2", { id }, title), ...children, problem, buttons));
  const before = document.activeElement;
  element.addEventListener("close", () => {
    element.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  });
  document.body.append(element);
  element.showModal();
  return element;
}
