// One record to judge: what it is, its whole abstract, what you say of it, and why it is here.

import * as api from "../api.js";
import { h, button, icon, fill } from "../dom.js";
import { LABELS } from "../labels.js";
import { metaLine } from "../meta.js";
import { tellProblem } from "../notices.js";
import { documentAddress } from "../router.js";
import * as titles from "../titles.js";
import { whyBars } from "../why/panel.js";

/** @typedef {import("../api.js").Hit} Hit */
/** @typedef {import("../labels.js").Label} Label */
/** @typedef {{ index: string, rank: number | string, onJudge: (id: string, label: Label | null) => void,
 *   onReasons: () => void, onTags: () => void, onNote: (id: string, note: string) => Promise<any> }} How */

/** @param {Hit} hit @param {How} how */
export function record(hit, { index, rank, onJudge, onReasons, onTags, onNote }) {
  const title = hit.title || hit.id;
  titles.learn(index, hit.id, title);
  const heading = h("a", { href: documentAddress(index, hit.id) }, title);
  const snippet = h("p", { class: "snippet abstract" }, hit.snippet || "There is no abstract.");
  const thumbs = LABELS.map(({ label: own, says, picture }) =>
    h("button", {
      type: "button", class: `thumb ${own}`, "aria-pressed": "false", "aria-label": `${says}: ${title}`,
      on: { click: () => onJudge(hit.id, element.dataset.label === own ? null : own) },
    }, icon(picture), h("span", { "aria-hidden": "true" }, says)));
  const why = folded("Why", () => whyBars(hit));
  const note = noteField(hit, onNote);
  const beside = h("p", { class: "beside" });
  const reasons = button("Reasons", onReasons, { class: "link" });
  const tags = button("Tags", onTags, { class: "link" });
  const element = h("li", { class: "card to-judge", "data-id": hit.id },
    h("span", { class: "rank", "aria-hidden": "true" }, rank),
    h("article", {}, h("h2", {}, heading), metaLine(hit.id, hit.fields), snippet, more(hit, index, snippet),
      beside, note.element, why.panel,
      h("div", { class: "actions" },
        h("div", { class: "thumbs", role: "group", "aria-label": "Your judgement" }, ...thumbs),
        reasons, note.button, tags, why.button)));

  /** Show what is said of it now. */
  function say() {
    const label = hit.label ?? null;
    if (label) element.dataset.label = label;
    else delete element.dataset.label;
    thumbs.forEach((thumb, i) => thumb.setAttribute("aria-pressed", String(LABELS[i].label === label)));
    const chips = [...(hit.reasons ?? []).map((one) => h("span", { class: "label not" }, one)),
      ...(hit.tags ?? []).map((one) => h("span", { class: "label tag" }, one))];
    fill(beside, ...chips);
    beside.hidden = !chips.length;
    note.show();
  }

  say();
  return { hit, element, snippet, heading, say, toggleWhy: why.toggle, editNote: note.edit };
}

/** A text that is longer than any abstract is loaded when it is asked for. @param {Hit} hit @param {string} index @param {Element} place */
function more(hit, index, place) {
  if (hit.snippet.length < api.WHOLE) return null;
  const whole = button("Show the whole text", async () => {
    try {
      fill(place, (await api.document_(index, hit.id)).text);
      whole.remove();
    } catch (error) {
      tellProblem(error);
    }
  }, { class: "link" });
  return whole;
}

/** @param {string} name @param {() => Element} make */
function folded(name, make) {
  const panel = h("div", { class: "why", hidden: true });
  const toggle = () => {
    if (!panel.hasChildNodes()) panel.append(make());
    panel.hidden = !panel.hidden;
    opening.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) panel.scrollIntoView({ block: "nearest" });
  };
  const opening = button(name, toggle, { class: "link", "aria-expanded": "false" });
  return { panel, toggle, button: opening };
}

/** Kept when the field is left. @param {Hit} hit @param {(id: string, note: string) => Promise<any>} onNote */
function noteField(hit, onNote) {
  const text = h("textarea", { rows: 2, "aria-label": `Your note on ${hit.title || hit.id}`, placeholder: "A note of your own" });
  const element = h("div", { class: "note-field", hidden: true }, text);
  const show = () => {
    if (document.activeElement !== text) text.value = hit.note ?? "";
    element.hidden = !text.value && document.activeElement !== text;
  };
  const keep = async () => {
    const written = text.value.trim();
    if (written !== (hit.note ?? "")) {
      try {
        await onNote(hit.id, written);
        hit.note = written;
      } catch (error) {
        tellProblem(error); // what was typed stays in the field
        return;
      }
    }
    show();
  };
  text.addEventListener("blur", () => void keep());
  text.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const isEnd = event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
    if (!isEnd) return;
    event.preventDefault();
    text.closest("li").focus({ preventScroll: true });
  });
  const edit = () => {
    element.hidden = false;
    text.focus();
  };
  return { element, show, edit, button: button("Note", edit, { class: "link" }) };
}
