// A question whose answer is a name that must be typed: what it asks about cannot be taken back.

import { h, button } from "../dom.js";

/** @param {string} name @param {string} title @param {string} text @returns {Promise<boolean>} */
export function confirmByName(name, title, text) {
  return new Promise((resolve) => {
    const input = h("input", { id: "confirm-name", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const sure = h("button", { class: "danger", disabled: true }, "Delete for good");
    input.addEventListener("input", () => {
      sure.disabled = input.value.trim() !== name;
    });
    let said = false;
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (sure.disabled) return;
      said = true;
      dialog.close();
    };
    const dialog = h("dialog", { "aria-labelledby": "confirm-title" },
      h("form", { class: "stack", on: { submit } },
        h("h2", { id: "confirm-title" }, title), h("p", {}, text),
        h("div", { class: "labelled" }, h("label", { for: "confirm-name" }, "To be sure, type its name: ", h("strong", {}, name)), input),
        h("div", { class: "row" }, sure, button("Keep it", () => dialog.close()))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(said);
    });
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
