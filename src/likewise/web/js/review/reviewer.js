// Who is judging: what one says or, where there are tokens, whose token it is.

import { h } from "../dom.js";
import { me } from "../me.js";
import * as store from "../store.js";

const KEY = "reviewer";

/** @param {() => void} onChange */
export function reviewerName(onChange) {
  if (me().tokens) {
    const name = me().name;
    const element = h("p", { class: "reviewer" }, name ? `Reviewer ${name}` : "");
    return { element, get: () => "", me: () => name };
  }
  const get = () => store.local.get(KEY)?.trim() ?? "";
  const input = h("input", {
    id: "reviewer", name: "reviewer", autocomplete: "nickname", maxlength: 100, placeholder: "you", size: 10,
  });
  input.value = get();
  input.addEventListener("change", () => {
    store.local.set(KEY, input.value.trim());
    onChange();
  });
  const element = h("p", { class: "reviewer" }, h("label", { for: "reviewer" }, "Reviewer"), input);
  return { element, get, me: (/** @type {any} */ team) => get() || team.you };
}

/** The part of a request that says who it is. @param {string} name */
export const asReviewer = (name) => (name ? { reviewer: name } : {});
