// The bar on top: which index, search or reviews, light or dark.

import { h, button, fill } from "./dom.js";
import { duplicatesAddress, go, projectAddress, reviewAddress, searchAddress } from "./router.js";
import * as store from "./store.js";
import { count } from "./format.js";
import { inWords } from "./me.js";

const THEMES = /** @type {const} */ (["system", "light", "dark"]);
const themes = themeSwitch();

/** @param {any} place @param {any[]} indexes */
export function frame(place, indexes) {
  const places = /** @type {HTMLElement} */ (document.getElementById("places"));
  const tools = /** @type {HTMLElement} */ (document.getElementById("tools"));
  const where = /** @type {HTMLElement} */ (document.getElementById("where"));
  fill(where, place.index && chooser(place, indexes));
  fill(places, ...(place.index ? links(place) : []));
  places.hidden = !place.index;
  const who = inWords();
  if (tools.dataset.who === who) return;
  tools.dataset.who = who;
  fill(tools, who ? h("span", { class: "who", title: "You, by your token" }, who) : null, themes);
}

/** @param {any} place @param {any[]} indexes */
function chooser(place, indexes) {
  if (indexes.length < 2) return h("span", { class: "where" }, indexes[0]?.title ?? place.index);
  const offered = indexes.filter((one) => !one.is_archived || one.name === place.index);
  const options = offered.map(({ name, title, documents }) =>
    h("option", { value: name, selected: name === place.index }, `${title} (${count(documents)})`));
  const change = (/** @type {any} */ event) => go(searchAddress(event.target.value));
  return h("select", { class: "where", "aria-label": "Project", on: { change } }, ...options);
}

/** @param {any} place */
function links(place) {
  const isReview = place.place === "reviews" || place.place === "review";
  /** @param {string} text @param {string} to @param {boolean} here */
  const link = (text, to, here) => h("a", { href: to, "aria-current": here && "page" }, text);
  const isProject = place.place === "project" || place.place === "files";
  return [
    link("Project", projectAddress(place.index), isProject),
    link("Search", searchAddress(place.index), place.place === "search"),
    link("Reviews", reviewAddress(place.index), isReview),
    link("Duplicates", duplicatesAddress(place.index), place.place === "duplicates"),
  ];
}

function themeSwitch() {
  const now = () => document.documentElement.dataset.theme ?? "system";
  const label = () => `Colours: ${now()}`;
  const turn = () => {
    const next = THEMES[(THEMES.indexOf(/** @type {any} */ (now())) + 1) % THEMES.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    store.local.set("theme", next);
    made.setAttribute("aria-label", label());
    made.title = label();
  };
  const made = button(label(), turn, { icon: "theme", class: "quiet" });
  return made;
}
