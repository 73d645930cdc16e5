// Starts the page: the frame around it, and the view that the address asks for.

import * as api from "./api.js";
import { h, fill } from "./dom.js";
import { frame } from "./frame.js";
import * as me from "./me.js";
import { tellProblem } from "./notices.js";
import * as router from "./router.js";
import { documentView } from "./documentView.js";
import { duplicatesView } from "./duplicates/view.js";
import { homeView, nowhereView } from "./homeView.js";
import { filesView } from "./projects/filesView.js";
import { projectView } from "./projects/projectView.js";
import { about, projects } from "./projects/server.js";
import { listView } from "./review/list.js";
import { reviewView } from "./review/view.js";
import { searchView } from "./search/view.js";

/** @typedef {{ key: string, title: string, element: Element, update?: (place: any) => void,
 *   close?: () => void }} View */

/** Views by place; `key` says which of them can take the next address as an update.
 * @type {Record<string, (place: any, info: any, indexes: any[]) => Omit<View, "key">>} */
const VIEWS = {
  home: homeView,
  nowhere: nowhereView,
  search: searchView,
  document: documentView,
  duplicates: duplicatesView,
  reviews: listView,
  review: reviewView,
  project: projectView,
  files: filesView,
};

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {View | null} */
let current = null;
/** @type {any[] | null} */
let indexes = null;
/** Whether somebody may make new ones here. */
let creates = false;

async function render() {
  const { index: wanted } = /** @type {any} */ (router.placeOf(location.pathname));
  if (wanted && !indexes?.some(({ name }) => name === wanted)) indexes = null; // it may have been made since
  try {
    if (!indexes) {
      const [found, can, known] = await Promise.all([
        api.indexes(), about(), projects(true).catch(() => ({ projects: [] })), me.load(),
      ]);
      const of = new Map(known.projects.map((/** @type {any} */ one) => [one.name, one]));
      indexes = found.map((/** @type {any} */ one) => ({ ...one, title: one.name, ...of.get(one.name) }));
      creates = can.creates && me.may("write");
    }
  } catch (error) {
    fill(main, h("section", { class: "empty" }, h("h1", {}, "Nothing can be shown"),
      h("p", {}, error instanceof Error ? error.message : "")));
    return;
  }
  const place = settled(router.placeOf(location.pathname));
  frame(place, indexes ?? []);
  const key = keyOf(place);
  if (current?.key === key && current.update) {
    current.update(place);
  } else {
    current?.close?.();
    const info = indexes?.find(({ name }) => name === /** @type {any} */ (place).index);
    const made = Object.assign(VIEWS[place.place](place, info, indexes ?? []), { key });
    current = made;
    fill(main, made.element);
    window.scrollTo(0, 0);
  }
  document.title = `${current.title} · likewise`;
}

/** With one index there is nothing to choose; one that is not here is nowhere. @param {any} place */
function settled(place) {
  if (place.place === "home" && indexes?.length === 1 && !creates) {
    const address = router.searchAddress(indexes[0].name);
    router.go(address, { replace: true, quiet: true });
    return router.placeOf(address);
  }
  if (place.index && !indexes?.some(({ name }) => name === place.index)) return { place: "nowhere" };
  return place;
}

/** @param {any} place */
const keyOf = ({ place, index = "", id = "", name = "" }) => JSON.stringify([place, index, id, name]);

window.addEventListener("unhandledrejection", (event) => tellProblem(event.reason));
window.addEventListener("token", () => void (indexes && me.load().then(render)));
window.addEventListener("indexes", () => {
  indexes = null; // one was made or deleted: ask again
});
router.start(() => void render());
