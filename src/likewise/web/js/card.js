// One document in a list: what it is, what you think of it, and why it is here.

import { h, button, icon } from "./dom.js";
import { LABELS } from "./labels.js";
import { metaLine } from "./meta.js";
import { documentAddress, searchAddress } from "./router.js";
import * as titles from "./titles.js";
import { whyPanel } from "./why/panel.js";

/** @typedef {import("./api.js").Hit} Hit */
/** @typedef {import("./labels.js").Label} Label */

/**
 * @param {Hit} hit
 * @param {{ index: string, rank: number | string, label: Label | null,
 *   onJudge: (id: string, label: Label | null) => void }} how
 */
export function card(hit, { index, rank, label, onJudge }) {
  const title = hit.title || hit.id;
  titles.learn(index, hit.id, title);
  const snippet = h("p", { class: "snippet" }, clipped(hit));
  const heading = h("h2", {}, h("a", { href: documentAddress(index, hit.id) }, title));
  const thumbs = LABELS.map(({ label: own, says, picture }) =>
    h("button", {
      type: "button", class: `thumb ${own}`, "aria-pressed": "false", title: says,
      "aria-label": `${says}: ${title}`,
      on: { click: () => onJudge(hit.id, element.dataset.label === own ? null : own) },
    }, icon(picture)));
  const why = opener(hit, index, snippet);
  const more = h("a", { href: searchAddress(index, new URLSearchParams({ like: hit.id })), class: "link" },
    "More like this");
  const element = h("li", { class: "card", "data-id": hit.id },
    h("span", { class: "rank", "aria-hidden": "true" }, rank),
    h("article", {}, heading, metaLine(hit.id, hit.fields), snippet, why.panel,
      h("div", { class: "actions" },
        h("div", { class: "thumbs", role: "group", "aria-label": "Your judgement" }, ...thumbs),
        why.button, more)));

  /** @param {Label | null} now */
  function setLabel(now) {
    if (now) element.dataset.label = now;
    else delete element.dataset.label;
    thumbs.forEach((thumb, i) => thumb.setAttribute("aria-pressed", String(LABELS[i].label === now)));
  }

  setLabel(label);
  return { hit, element, snippet, setLabel, toggleWhy: why.toggle };
}

/** @param {Hit} hit */
const clipped = ({ snippet }) => (snippet.length < 400 ? snippet : `${snippet.replace(/\s+\S*$/, "")} …`);

/** @param {Hit} hit @param {string} index @param {HTMLElement} snippet */
function opener(hit, index, snippet) {
  const panel = h("div", { class: "why", hidden: true });
  const toggle = () => {
    const opens = panel.hidden;
    if (opens && !panel.hasChildNodes()) panel.append(whyPanel(hit, index));
    panel.hidden = !opens;
    snippet.hidden = opens;
    opening.setAttribute("aria-expanded", String(opens));
  };
  const opening = button("Why", toggle, { class: "link", "aria-expanded": "false" });
  return { panel, toggle, button: opening };
}
