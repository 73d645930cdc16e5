// Which index, where there are several; and what to say where there is nothing.

import { h } from "./dom.js";
import { count, counted } from "./format.js";
import { searchAddress } from "./router.js";

/** @param {any} _place @param {any} _info @param {any[]} indexes */
export function homeView(_place, _info, indexes) {
  const items = indexes.map(({ name, documents, terms }) =>
    h("li", {}, h("a", { href: searchAddress(name), class: "choice" },
      h("strong", {}, name),
      h("span", { class: "muted" }, `${counted(documents, "document")}, ${count(terms)} terms`))));
  const element = h("section", { class: "narrow" },
    h("h1", {}, "Show it documents; it finds the rest."),
    indexes.length
      ? h("p", { class: "lead" }, "Where do you want to look?")
      : h("p", { class: "lead" }, "No index is served: name one, as in likewise serve papers.idx."),
    h("ul", { class: "plain choices" }, ...items));
  return { title: "Indexes", element };
}

export function nowhereView() {
  const element = h("section", { class: "empty" },
    h("h1", {}, "There is nothing at this address"),
    h("p", {}, "The index may be called something else now, or not be served any more. ",
      h("a", { href: "/" }, "See what there is.")));
  return { title: "Nothing here", element };
}
