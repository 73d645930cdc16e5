// One line on what was searched and how long it took; while it lasts, how far it is. How it was
// done stands behind "Details".

import { details } from "../details.js";
import { h, button, fill } from "../dom.js";
import { count, counted, seconds } from "../format.js";
import { described } from "../methods.js";
import { learns } from "./asked.js";
import { elsewhere } from "./elsewhere.js";

/** @param {{ onCancel: () => void, onQuick: () => void }} act */
export function statusLine({ onCancel, onQuick }) {
  const line = h("p", { class: "status-text", role: "status" });
  const bar = h("progress", { "aria-label": "Learning" });
  const cancel = button("Cancel", onCancel, { class: "small" });
  const quick = button("Search fast instead", onQuick, { class: "small" });
  const clock = h("span", { class: "number", "aria-hidden": "true" }); // not to be read out each second
  const work = h("div", { class: "work", hidden: true }, clock, bar, cancel, quick);
  const how = h("div", { class: "how" });
  const element = h("div", { class: "status" }, line, work, how);
  /** @type {number | undefined} */
  let soon;
  /** @type {number | undefined} */
  let ticking;

  /** @param {string} text @param {boolean} [bad] */
  function say(text, bad = false) {
    clearTimeout(soon);
    clearInterval(ticking);
    work.hidden = true;
    line.classList.toggle("bad", bad);
    fill(line, text);
    fill(how);
  }

  return {
    element,
    idle: say,
    /** Only what lasts is worth a word. */
    busy() {
      clearTimeout(soon);
      soon = setTimeout(() => fill(line, "Searching …"), 150);
    },
    /** @param {import("../api.js").Job} job */
    progress(job) {
      clearTimeout(soon);
      line.classList.remove("bad");
      bar.removeAttribute("value");
      const share = nearness(job.gap);
      if (share !== null) bar.value = share;
      work.hidden = false;
      const began = performance.now() - 1000 * job.seconds;
      const tick = () => fill(clock, seconds((performance.now() - began) / 1000));
      clearInterval(ticking);
      ticking = setInterval(tick, 1000);
      tick();
      work.title = passed(job);
      fill(line, job.state === "queued" ? "Waiting for other searches …" : "Learning …");
    },
    /**
     * @param {import("../api.js").Found} answer @param {import("./asked.js").Asked} asked
     * @param {{ name: string, about: string }[]} methods
     */
    done(answer, asked, methods) {
      say(summary(answer, asked));
      if (answer.query && learns(asked)) fill(how, learned(answer.query, methods), elsewhere(answer.index, answer.query));
    },
    /** @param {string} message */
    failed: (message) => say(message, true),
  };
}

/** The gap falls by powers of ten, from about 1 to 0.001. @param {number | null} gap */
function nearness(gap) {
  if (gap === null || !Number.isFinite(gap)) return null;
  return Math.min(1, Math.max(0.02, -Math.log10(Math.max(gap, 1e-3)) / 3));
}

/** @param {import("../api.js").Job} job */
function passed(job) {
  if (!job.passes) return "";
  const gap = job.gap === null ? "" : `, ${job.gap.toPrecision(2)} from the optimum`;
  return `${counted(job.passes, "pass", "passes")} over the records${gap}`;
}

/** @param {import("../api.js").Found} answer @param {import("./asked.js").Asked} asked */
function summary(answer, asked) {
  const all = answer.matching === answer.documents
    ? counted(answer.documents, "record")
    : `${count(answer.matching)} of ${counted(answer.documents, "record")}`;
  const { query } = answer;
  const by = query && learns(asked) ? counted(query.examples + query.unlike, "example") : "words";
  return `${all}, ranked by ${by} in ${seconds(answer.seconds)}`;
}

/** @param {import("../api.js").Learned} query @param {{ name: string, about: string }[]} methods */
function learned(query, methods) {
  const notes = query.warnings.map((warning) => /** @type {[string, string]} */ (["Note", warning]));
  const title = notes.length ? `Details, ${counted(notes.length, "note")}` : "Details";
  return details([
    ["In short", "The records most like your examples, and least like those that you did not want."],
    ["Method", described(methods, query.method)],
    ["Why this method", query.reason],
    ["Views", Object.keys(query.views).join(", ")],
    ["Learned in", `${seconds(query.seconds)}, ${counted(query.passes, "pass", "passes")} over the records`],
    ["Gap to the optimum", query.gap?.toPrecision(2)],
    ...notes,
  ], title);
}
