// Searches that are kept, and what came since you looked.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { count } from "../format.js";
import { may, me } from "../me.js";
import { tell, tellProblem } from "../notices.js";
import { panel } from "../panel.js";
import { documentAddress, searchAddress } from "../router.js";

/** @typedef {{ name: string, owner: string, yours: boolean, words: string, learned: boolean, filter: string,
 *   page: string, since: string | null, new: number }} Saved */

const SHOWN = 5;

/**
 * @param {string} index
 * @param {{ now: () => { words: string, query: string | null, filter: string, page: string, terms: any } | null }} asked
 *   what is asked now, if it can be kept
 */
export function savedPanel(index, { now }) {
  const list = h("ul", { class: "plain saved" });
  const name = h("input", { id: "search-name", required: true, maxlength: 200, autocomplete: "off" });
  const form = h("form", { class: "adding", hidden: true, on: { submit: (/** @type {Event} */ event) => {
    event.preventDefault();
    void keep();
  } } },
    h("label", { for: "search-name" }, "Name of this search"), name,
    h("div", { class: "row" }, h("button", { type: "submit", class: "small primary" }, "Save"),
      button("Cancel", () => open(false), { class: "small" })));
  const save = button("Save this search", () => open(true), { class: "small" });
  const element = panel("Saved searches", {}, list, save, form);
  element.hidden = true;

  /** @param {boolean} opens */
  function open(opens) {
    form.hidden = !opens;
    save.hidden = opens;
    if (opens) name.focus();
  }

  async function keep() {
    const asked = now();
    if (!asked) return;
    try {
      await api.searches(index).save({ name: name.value, ...asked });
      tell("Saved. What comes from now on and matches is shown here.");
      name.value = "";
      open(false);
      await refresh();
    } catch (error) {
      tellProblem(error);
    }
  }

  async function refresh() {
    try {
      /** @type {Saved[]} */
      const searches = (await api.searches(index).list()).searches;
      fill(list, ...searches.map(item));
      update();
    } catch (error) {
      tellProblem(error);
    }
  }

  /** What is asked has changed. */
  function update() {
    save.hidden = !may("review") || !now() || !form.hidden;
    element.hidden = !list.hasChildNodes() && save.hidden && form.hidden;
  }

  /** @param {Saved} one */
  function item(one) {
    const fresh = h("ul", { class: "plain", hidden: true });
    const opening = one.new > 0 && button(`${count(one.new)} new`, () => void show(one, fresh, opening), {
      class: "label relevant", "aria-expanded": "false",
    });
    const remove = one.yours && may("review") && button(`Delete the search ${one.name}`, () => void act(() => api.searches(index).remove(one.name)),
      { icon: "close", class: "quiet" });
    return h("li", {}, h("div", { class: "row" },
      h("a", { href: searchAddress(index, new URLSearchParams(one.page)) }, one.name), opening,
      // A feed reader has no token.
      !me().tokens && h("a", { class: "link feed", href: api.searches(index).feed(one.name), target: "_blank", rel: "noopener",
        title: "What comes and matches, for feed readers", "aria-label": `Feed of ${one.name}` }, "Feed"), remove), fresh);
  }

  /** @param {Saved} one @param {HTMLElement} fresh @param {any} opening */
  async function show(one, fresh, opening) {
    fresh.hidden = !fresh.hidden;
    opening.setAttribute("aria-expanded", String(!fresh.hidden));
    if (fresh.hidden || fresh.hasChildNodes()) return;
    try {
      const { hits } = await api.searches(index).fresh(one.name, SHOWN);
      const more = one.new - hits.length;
      fill(fresh, ...hits.map((/** @type {any} */ hit) =>
        h("li", {}, h("a", { href: documentAddress(index, hit.id) }, hit.title || hit.id))),
      more > 0 && h("li", { class: "muted" }, `and ${count(more)} more`),
      may("review") && h("li", {}, button("Mark as seen", () => void act(() => api.searches(index).seen(one.name)), { class: "small" })));
    } catch (error) {
      tellProblem(error);
    }
  }

  /** @param {() => Promise<any>} work */
  async function act(work) {
    try {
      await work();
      await refresh();
    } catch (error) {
      tellProblem(error);
    }
  }

  void refresh();
  return { element, update };
}
