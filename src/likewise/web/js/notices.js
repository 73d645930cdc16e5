// What happened, said aloud and shown for a while. The region is a live one.

import { h, button } from "./dom.js";

const STAYS = 6000; // milliseconds

/**
 * @param {string} text
 * @param {{ bad?: boolean, action?: { label: string, run: () => void } }} [how]
 */
export function tell(text, { bad = false, action } = {}) {
  const place = /** @type {HTMLElement} */ (document.getElementById("notices"));
  const notice = h("div", { class: bad ? "notice bad" : "notice" }, h("span", {}, text));
  const close = () => notice.remove();
  if (action) notice.append(button(action.label, () => { close(); action.run(); }, { class: "link" }));
  notice.append(button("Dismiss", close, { icon: "close", class: "quiet" }));
  place.replaceChildren(notice);
  if (!bad) setTimeout(close, STAYS);
}

/** @param {unknown} error */
export function tellProblem(error) {
  if (error instanceof DOMException && error.name === "AbortError") return;
  tell(error instanceof Error ? error.message : String(error), { bad: true });
}
