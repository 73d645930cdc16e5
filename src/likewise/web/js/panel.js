// A titled part of the side column: open where there is room, folded on a phone.

import { h } from "./dom.js";

const roomy = matchMedia("(min-width: 60.01rem)");

/**
 * @param {string} title
 * @param {{ extra?: Element, action?: Element }} parts beside the title
 * @param {...any} children
 */
export function panel(title, { extra, action } = {}, ...children) {
  const summary = h("summary", {}, h("h2", {}, title, extra && " ", extra));
  const body = h("div", { class: "panel-body" }, action && h("div", { class: "panel-action" }, action), ...children);
  const element = h("details", { class: "panel", open: roomy.matches }, summary, body);
  roomy.addEventListener("change", () => {
    element.open = roomy.matches;
  });
  return element;
}
