// The name and size of a review, and its settings: rename it, delete it.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { settingsForm } from "./settings.js";
import { count, counted } from "../format.js";
import { inPlainWords, REVIEWING } from "../methods.js";
import { tell, tellProblem } from "../notices.js";
import { go, reviewAddress } from "../router.js";
import { STAGE } from "./fullText.js";

/** @param {import("./view.js").Review} review @param {Element} reviewer */
export function header(review, reviewer) {
  const about = h("p", { class: "muted about" }, "\u00a0");
  const method = h("p", { class: "muted" });
  Promise.all([review.api.get(), api.methods()]).then(([found, { feedback }]) => {
    fill(about, size(found));
    fill(method, `How it learns. ${inPlainWords(REVIEWING, feedback, found.method)}.`);
    if (found.yours) fill(manage, settingsForm(review, found), renaming(review), deleting(review));
    else fill(manage, h("p", { class: "muted" }, owned(found.owner)));
  }, (error) => {
    fill(about, error.message);
    about.className = "bad";
  });
  const manage = h("div", { class: "row" });
  const more = h("details", { class: "manage" }, h("summary", {}, "Settings"), method, manage);
  return { element: h("header", { class: "review-header" },
    h("div", { class: "row between" }, h("h1", {}, review.name), reviewer), h("div", { class: "row facts" }, about, more)) };
}

/** @param {string} owner */
const owned = (owner) => `${owner ? `${owner} has made this review and` : "An owner"} can rename or delete it.`;

/** @param {any} found */
function size({ documents, page_size: onPage, reviewers, stage }) {
  const others = reviewers.length > 1 ? `, judged by ${reviewers.join(", ")}` : "";
  return `${counted(documents, stage === STAGE ? "full text" : "record")}, ${count(onPage)} a page${others}`;
}

/** @param {import("./view.js").Review} review */
function renaming(review) {
  const input = h("input", { "aria-label": "New name", required: true, maxlength: 200 });
  input.value = review.name;
  const rename = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const now = await review.api.rename(input.value.trim());
      go(reviewAddress(review.index, now.name), { replace: true });
    } catch (error) {
      tellProblem(error);
    }
  };
  return h("form", { class: "row", on: { submit: rename } }, input, h("button", { class: "small" }, "Rename"));
}

/** @param {import("./view.js").Review} review */
function deleting(review) {
  const ask = () => {
    const dialog = h("dialog", { "aria-labelledby": "delete-title" }, h("div", { class: "stack" },
      h("h2", { id: "delete-title" }, `Delete “${review.name}”?`),
      h("p", {}, "All judgements in it are lost, those of other reviewers too. Export them first if in doubt."),
      h("div", { class: "row" },
        button("Delete it", remove, { class: "danger" }), button("Keep it", () => dialog.close(), { autofocus: true }))));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    async function remove() {
      dialog.close();
      try {
        await review.api.remove();
        go(reviewAddress(review.index));
        tell(`“${review.name}” is deleted.`);
      } catch (error) {
        tellProblem(error);
      }
    }
  };
  return button("Delete …", ask, { class: "small danger" });
}
