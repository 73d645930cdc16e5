// Everything that was done, the last first, with undo and redo.

import { h, button, fill } from "../dom.js";
import { counted, moment } from "../format.js";
import { said } from "../labels.js";
import { may } from "../me.js";
import { tellProblem } from "../notices.js";
import { recordAddress } from "../router.js";
import { showTitle } from "../titles.js";
import { asReviewer } from "./reviewer.js";

const PAGE = 30;
const SHOWN = 5; // documents of one action
const DONE = { judge: "judged", undo: "undid", redo: "redid" };

/** @param {import("./view.js").Review} review */
export function historyPart(review) {
  const list = h("ol", { class: "plain history", "aria-label": "History" });
  const more = button("Load more", () => load(), { class: "more", hidden: true });
  const status = h("p", { class: "status-text", role: "status" });
  const act = (/** @type {"undo" | "redo"} */ step) => async () => {
    try {
      await review.api.step(step, asReviewer(review.reviewer()));
      fill(list);
      await load();
      review.changed();
    } catch (error) {
      tellProblem(error);
    }
  };

  async function load() {
    try {
      const { entries, total } = await review.api.history(PAGE, list.children.length);
      list.append(...entries.map((/** @type {any} */ entry) => item(review, entry)));
      status.textContent = total ? counted(total, "step") : "Nothing is judged yet. What you judge is listed here and can be undone.";
      more.hidden = list.children.length >= total;
    } catch (error) {
      tellProblem(error);
    }
  }

  void load();
  const steps = may("review") &&
    h("div", { class: "row" }, button("Undo", act("undo"), { class: "small" }), button("Redo", act("redo"), { class: "small" }));
  const element = h("section", { "aria-label": "Steps" }, h("div", { class: "status" }, status, steps), list, more);
  return may("review") ? { element, keys: { undo: act("undo"), redo: act("redo") } } : { element };
}

/** @param {import("./view.js").Review} review @param {any} entry */
function item(review, { at, reviewer, action, changes }) {
  const hidden = changes.length - SHOWN;
  return h("li", { class: action },
    h("p", { class: "meta" }, h("time", { datetime: at }, moment(at)),
      h("span", {}, `${reviewer} ${DONE[/** @type {keyof typeof DONE} */ (action)] ?? action}`)),
    ...changes.slice(0, SHOWN).map((/** @type {any} */ change) => changed(review, change)),
    hidden > 0 && h("p", { class: "muted" }, `and ${counted(hidden, "more record")}`));
}

/** @param {import("./view.js").Review} review @param {any} change */
function changed(review, { id, before, after }) {
  const link = h("a", { href: recordAddress(review.index, review.name, id) });
  showTitle(link, review.index, id);
  const now = h("span", { class: `label ${after ?? "none"}` }, said(after));
  return h("p", { class: "change" }, now, link, before && h("span", { class: "muted" }, `before: ${said(before)}`));
}
