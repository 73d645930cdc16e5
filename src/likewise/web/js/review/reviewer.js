// Who is judging: what one says or, where there are tokens, whose token it is.

import { h, fill } from "../dom.js";
import { me } from "../me.js";
import * as store from "../store.js";

const KEY = "reviewer";
const OTHER = "\u0000"; // no name

/** @param {() => void} onChange */
export function reviewerName(onChange) {
  if (me().tokens) {
    const name = me().name;
    const element = h("p", { class: "reviewer" }, name ? `Reviewer ${name}` : "");
    return { element, get: () => "", me: () => name, offer: () => {} };
  }
  const get = () => store.local.get(KEY)?.trim() ?? "";
  const names = h("datalist", { id: "reviewer-names" });
  const element = h("p", { class: "reviewer" });
  let offered = "";

  /** @param {string} name */
  function be(name) {
    store.local.set(KEY, name);
    onChange();
  }

  /** @param {any} control */
  const show = (control) => fill(element, h("label", { for: "reviewer" }, "Reviewer"), control, names);

  function typed() {
    const input = h("input", {
      id: "reviewer", name: "reviewer", autocomplete: "nickname", maxlength: 100, placeholder: "you", size: 10, list: names.id,
    });
    input.value = get();
    input.addEventListener("change", () => be(input.value.trim()));
    return input;
  }

  /** @param {string[]} known @param {string} now @param {boolean} closed whether nobody else can judge */
  function chosen(known, now, closed) {
    const select = h("select", { id: "reviewer" },
      ...known.map((name) => h("option", { value: name, selected: name === now }, name)),
      !closed && h("option", { value: OTHER }, "another name …"));
    select.addEventListener("change", () => {
      select.blur(); // keys judge again
      if (select.value !== OTHER) return be(select.value);
      const input = typed();
      show(input);
      return input.select();
    });
    return select;
  }

  show(typed());
  return {
    element,
    get,
    me: (/** @type {any} */ team) => get() || team.you,
    /** The names of a team to choose from. @param {any} team */
    offer({ you, reviewers, decider, names: known, closed }) {
      const all = [...new Set([...known, decider, get() || you])].filter(Boolean);
      const now = JSON.stringify([get() || you, all, closed]);
      if (now === offered || document.activeElement?.id === "reviewer") return;
      offered = now;
      fill(names, ...all.map((name) => h("option", { value: name })));
      if (reviewers.length) show(chosen(all, get() || you, closed));
    },
  };
}

/** The part of a request that says who it is. @param {string} name */
export const asReviewer = (name) => (name ? { reviewer: name } : {});
