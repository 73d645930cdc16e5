// The reviews of a project: how far each is; rename, archive, delete.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { count, counted, moment } from "../format.js";
import { tell, tellProblem } from "../notices.js";
import { judgedTotal } from "../review/tally.js";
import { reviewAddress } from "../router.js";
import { confirmByName } from "./confirm.js";
import { STAGE } from "../review/fullText.js";

/** @param {string} index */
export function reviewsOf(index) {
  const element = h("div", { class: "stack", "aria-busy": "true" });
  let ended = false;
  void show();

  async function show() {
    try {
      const found = await api.reviews(index).list();
      if (ended) return;
      const [now, before] = [found.filter((/** @type {any} */ one) => !one.archived), found.filter((/** @type {any} */ one) => one.archived)];
      fill(element,
        now.length ? list(now) : h("p", { class: "muted" }, "There is no review yet. A review shows records to judge, learns from what you say, and shows the next ones."),
        before.length > 0 && h("details", { class: "details" }, h("summary", {}, `Archived (${count(before.length)})`), list(before)));
    } catch (error) {
      fill(element, h("p", { class: "bad" }, error instanceof Error ? error.message : String(error)));
    } finally {
      element.removeAttribute("aria-busy");
    }
  }

  /** @param {any[]} found */
  const list = (found) => h("ul", { class: "plain choices" }, ...found.map((one) => item(index, one, show)));
  return { element, close: () => { ended = true; } };
}

/** @param {string} index @param {any} review @param {() => void} changed */
function item(index, review, changed) {
  const routes = api.reviews(index, review.name);
  const far = h("span", { class: "muted" }, "\u00a0");
  const bar = h("progress", { max: 1, value: 0, "aria-label": `Judged in ${review.name}` });
  const more = h("div", { class: "row" });
  routes.get().then((found) => {
    const judged = judgedTotal(found.judged);
    bar.value = found.documents ? judged / found.documents : 0;
    far.textContent = `${count(judged)} of ${counted(found.documents, found.stage === STAGE ? "full text" : "record")} judged, ${count(found.judged.relevant)} relevant${found.blinded ? ", as far as you may see: the review is blinded" : ""}`;
    if (found.yours) fill(more, ...managing(routes, found, changed));
    else fill(more, h("span", { class: "muted" }, "Its owner can rename, archive and delete it."));
  }, (error) => {
    far.textContent = error.message;
  });
  const facts = [review.owner && `by ${review.owner}`, review.reviewers > 1 && counted(review.reviewers, "reviewer"),
    review.last ? `last used ${moment(review.last)}` : `begun ${moment(review.created)}`].filter(Boolean);
  return h("li", { class: "panel project-review" },
    h("a", { class: "review-name", href: reviewAddress(index, review.name) }, review.name),
    bar, far, h("span", { class: "muted" }, facts.join(" · ")),
    h("details", { class: "manage" }, h("summary", {}, "Change"), more));
}

/** @param {ReturnType<typeof api.reviews>} routes @param {any} found @param {() => void} changed */
function managing(routes, found, changed) {
  const input = h("input", { "aria-label": `New name of ${found.name}`, required: true, maxlength: 200 });
  input.value = found.name;
  /** @param {() => Promise<any>} work @param {string} said */
  const act = async (work, said) => {
    try {
      await work();
      changed();
      tell(said);
    } catch (error) {
      tellProblem(error);
    }
  };
  const rename = (/** @type {Event} */ event) => {
    event.preventDefault();
    const to = input.value.trim();
    void act(() => routes.rename(to), `It is called “${to}” now.`);
  };
  const remove = async () => {
    const sure = await confirmByName(found.name, `Delete the review “${found.name}”?`,
      "All judgements in it are lost, those of other reviewers too. Export them first if in doubt.");
    if (sure) await act(() => routes.remove(), `“${found.name}” is deleted.`);
  };
  return [
    h("form", { class: "row", on: { submit: rename } }, input, h("button", { class: "small" }, "Rename")),
    button(found.archived ? "Take out of the archive" : "Archive",
      () => void act(() => routes.archive(!found.archived), found.archived ? "It is back in the list." : "It is archived."), { class: "small" }),
    button("Delete …", remove, { class: "small danger" }),
  ];
}
