// One line on what was searched, how and how long; while it lasts, how far it is.

import { h, button, fill } from "../dom.js";
import { count, counted, seconds } from "../format.js";
import { learns } from "./asked.js";

/** @param {{ onCancel: () => void, onQuick: () => void }} act */
export function statusLine({ onCancel, onQuick }) {
  const line = h("p", { class: "status-text", role: "status" });
  const bar = h("progress", { "aria-label": "Learning" });
  const cancel = button("Cancel", onCancel, { class: "small" });
  const quick = button("At once, by 1c", onQuick, { class: "small" });
  const clock = h("span", { class: "number", "aria-hidden": "true" }); // not to be read out each second
  const work = h("div", { class: "work", hidden: true }, clock, bar, cancel, quick);
  const element = h("div", { class: "status" }, line, work);
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
      fill(line, job.state === "queued" ? "Waiting for other searches …" : learning(job));
    },
    /** @param {import("../api.js").Found} answer @param {import("./asked.js").Asked} asked */
    done(answer, asked) {
      say("");
      fill(line, ...told(answer, asked));
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
function learning(job) {
  if (!job.passes) return "Learning …";
  const gap = job.gap === null ? "" : `, ${job.gap.toPrecision(2)} from the best`;
  return `Learning: ${counted(job.passes, "pass", "passes")}${gap}`;
}

/** @param {import("../api.js").Found} answer @param {import("./asked.js").Asked} asked */
function told(answer, asked) {
  const all = answer.matching === answer.documents
    ? counted(answer.documents, "document")
    : `${count(answer.matching)} of ${counted(answer.documents, "document")}`;
  const { query } = answer;
  if (!query || !learns(asked)) return [`${all}, ranked by words in ${seconds(answer.seconds)}`];
  const examples = counted(query.examples + query.unlike, "example");
  return [`${all}, ranked by `, h("strong", {}, query.method), ` from ${examples} in ${seconds(answer.seconds)}`,
    ...query.warnings.map((warning) => ` · ${warning}`)];
}
