// Several of a list, and others that are typed: reasons, tags. The digits choose, Enter is enough.

import { h } from "../dom.js";
import { dialog } from "./dialog.js";
import { asReviewer } from "./reviewer.js";

/**
 * @param {{ title: string, known: string[], chosen: string[], other: string, done: string,
 *   onDone: (words: string[]) => any, onCancel?: () => void }} how
 */
export function chooser({ title, known, chosen, other, done, onDone, onCancel = () => {} }) {
  const words = [...new Set([...known, ...chosen])];
  const boxes = words.map((word, i) => {
    const box = h("input", { type: "checkbox", id: `choice-${i}`, value: word });
    box.checked = chosen.includes(word);
    return box;
  });
  const typed = h("input", { id: "choice-other", autocomplete: "off", maxlength: 200 });
  const list = h("ul", { class: "plain choice-list" }, ...words.map((word, i) => h("li", { class: "check" }, boxes[i],
    h("label", { for: boxes[i].id }, i < 9 && h("kbd", {}, i + 1), " ", word))));
  const element = dialog(title, [words.length > 0 && list,
    h("div", { class: "labelled" }, h("label", { for: typed.id }, other), typed)], {
    done,
    onDone: () => onDone([...boxes.filter((box) => box.checked).map((box) => box.value),
      ...typed.value.split(";").map((/** @type {string} */ one) => one.trim()).filter(Boolean)]),
  });
  element.addEventListener("close", onCancel); // after it is done nobody listens
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const box = boxes[Number(event.key) - 1];
    if (event.target === typed || !box) return;
    event.preventDefault();
    box.checked = !box.checked;
  });
  (boxes[0] ?? typed).focus();
}

/** @param {import("./view.js").Review} review @param {ReturnType<typeof import("./record.js").record>} one */
export function tagChooser(review, one) {
  const { id } = one.hit;
  chooser({
    title: "Tags", known: review.protocol().tags, chosen: one.hit.tags ?? [], other: "Another tag", done: "Save",
    onDone: async (tags) => {
      await review.api.remark({ id, tags, ...asReviewer(review.reviewer()) });
      one.hit.tags = tags;
      one.say();
    },
  });
}
