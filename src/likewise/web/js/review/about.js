// What the review asks, what it includes, and the reasons and tags to choose from.

import { h, button, fill } from "../dom.js";
import { panel } from "../panel.js";
import { dialog } from "./dialog.js";

/** @typedef {{ question: string, criteria: string, reasons: string[], tags: string[], require_reason: boolean }} Protocol */

/** @type {Protocol} */
const NOTHING = { question: "", criteria: "", reasons: [], tags: [], require_reason: true };

/** @param {import("./view.js").Review} review @param {() => void} onChange */
export function aboutPanel(review, onChange) {
  let now = NOTHING;
  let yours = false;
  const body = h("div", { class: "stack protocol" });
  const element = panel("What counts", {}, body);

  function show() {
    fill(body, now.question && h("p", { class: "question-text" }, now.question),
      now.criteria && h("p", { class: "criteria" }, now.criteria),
      now.reasons.length > 0 && h("div", {}, h("h3", {}, "Reasons for exclusion"),
        h("ol", { class: "plain reasons" }, ...now.reasons.map((reason, i) =>
          h("li", {}, i < 9 && h("kbd", {}, i + 1), " ", reason)))),
      !now.question && !now.criteria && !now.reasons.length
        && h("p", { class: "muted" }, "Write down the question, what is to be included, and reasons for exclusion."),
      yours && button("Edit …", () => edit(now, save), { class: "link" }));
  }

  /** @param {Partial<Protocol>} given */
  async function save(given) {
    now = await review.api.setProtocol(given);
    show();
    onChange();
  }

  return {
    element,
    protocol: () => now,
    /** @param {boolean} own whether it may be changed */
    async load(own) {
      yours = own;
      now = await review.api.protocol();
      show();
    },
  };
}

/** @param {Protocol} now @param {(given: Partial<Protocol>) => Promise<void>} save */
function edit(now, save) {
  const fields = protocolFields(now);
  dialog("What counts", [fields.element], { done: "Save", onDone: () => save(fields.value()), wide: true });
}

/** Fields for a form: also that which begins a review. @param {Protocol} [now] */
export function protocolFields(now = NOTHING) {
  /** @param {string} id @param {number} rows @param {string} value @param {string} placeholder */
  const area = (id, rows, value, placeholder) => {
    const made = h("textarea", { id, rows, placeholder });
    made.value = value;
    return made;
  };
  const question = area("protocol-question", 2, now.question, "Do robots help surgeons?");
  const criteria = area("protocol-criteria", 3, now.criteria, "Include: trials in humans. Exclude: reviews, letters.");
  const reasons = area("protocol-reasons", 4, now.reasons.join("\n"), "wrong population\nwrong study design");
  const required = h("input", { type: "checkbox", id: "protocol-required" });
  required.checked = now.require_reason;
  const tags = area("protocol-tags", 2, now.tags.join("\n"), "discuss\nbackground");
  /** @param {string} label @param {any} control @param {string} [hint] */
  const field = (label, control, hint) => h("div", { class: "labelled" }, h("label", { for: control.id }, label), control,
    hint && h("p", { class: "muted hint" }, hint));
  const lines = (/** @type {any} */ control) => [...new Set(control.value.split("\n")
    .map((/** @type {string} */ line) => line.trim()).filter(Boolean))];
  return {
    element: h("div", { class: "stack" }, field("Question", question), field("What is included, what is not", criteria),
      field("Reasons for exclusion, one a line", reasons, "The first nine have a key each: 1 to 9."),
      h("p", { class: "check" }, required, h("label", { for: required.id }, "A full text is excluded only with a reason")),
      field("Tags, one a line", tags)),
    value: () => ({
      question: question.value.trim(), criteria: criteria.value.trim(), reasons: lines(reasons), tags: lines(tags),
      require_reason: required.checked,
    }),
  };
}
