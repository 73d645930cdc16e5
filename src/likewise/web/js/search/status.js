// One line on what was searched, how and how long; while it lasts, how far it is.

import { h, button, fill } from "../dom.js";
import { count, counted, seconds, sentence } from "../format.js";
import { learns } from "./asked.js";

/** @param {{ onCancel: () => void }} act */
export function statusLine({ onCancel }) {
  const line = h("p", { class: "status-text", role: "status" });
  const bar = h("progress", { "aria-label": "Learning" });
  const cancel = button("Cancel", onCancel, { class: "small" });
  const work = h("div", { class: "work", hidden: true }, bar, cancel);
  const element = h("div", { class: "status" }, line, work);
  /** @type {number | undefined} */
  let soon;

  /** @param {string} text @param {boolean} [bad] */
  function say(text, bad = false) {
    clearTimeout(soon);
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
  const parts = [`Learning for ${seconds(job.seconds)}`, counted(job.passes, "pass", "passes")];
  if (job.gap !== null) parts.push(`${job.gap.toPrecision(2)} from the best`);
  return parts.join(", ");
}

/** @param {import("../api.js").Found} answer @param {import("./asked.js").Asked} asked */
function told(answer, asked) {
  const all = answer.matching === answer.documents
    ? counted(answer.documents, "document")
    : `${count(answer.matching)} of ${counted(answer.documents, "document")}`;
  const { query } = answer;
  if (!query || !learns(asked)) return [`${all}, ranked by words in ${seconds(answer.seconds)}`];
  const examples = counted(query.examples + query.unlike, "example");
  const how = h("span", { title: sentence(query.reason) }, h("strong", {}, query.method));
  return [`${all}, ranked by `, how, ` from ${examples} in ${seconds(answer.seconds)}`,
    ...query.warnings.map((warning) => ` · ${warning}`)];
}
