// One document, whole, with a way on from it.

import * as api from "./api.js";
import { h, fill } from "./dom.js";
import { metaLine } from "./meta.js";
import { searchAddress } from "./router.js";
import { tellProblem } from "./notices.js";

/** @param {{ index: string, id: string }} place */
export function documentView({ index, id }) {
  const element = h("article", { class: "document narrow", "aria-busy": "true" });
  const more = new URLSearchParams({ like: id });
  api.document_(index, id).then((found) => {
    document.title = `${found.title || id} · likewise`;
    fill(element,
      h("h1", {}, found.title || id),
      metaLine(found.id, found.fields),
      h("p", { class: "text" }, found.text),
      h("p", { class: "row" },
        h("a", { class: "button primary", href: searchAddress(index, more) }, "More like this")));
  }).catch((error) => {
    fill(element, h("h1", {}, "This record cannot be shown"), h("p", {}, error.message));
    if (!(error instanceof api.Problem)) tellProblem(error);
  }).finally(() => element.removeAttribute("aria-busy"));
  return { title: id, element };
}
