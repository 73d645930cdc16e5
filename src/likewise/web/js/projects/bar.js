// How far a job is, in words and as a bar.

import { h } from "../dom.js";
import { percent } from "../format.js";

const WORDS = {
  reading: "Reading the records",
  learning: "Learning from the texts",
  opening: "Almost there",
};

export function bar() {
  const progress = h("progress", { max: 1, "aria-label": "How far it is" });
  const words = h("p", { role: "status" }, "Waiting for its turn");
  return {
    element: h("div", { class: "job stack" }, words, progress),
    /** @param {import("./server.js").Job} job */
    show({ state, doing, share }) {
      const said = WORDS[/** @type {keyof typeof WORDS} */ (doing ?? "")] ?? "Beginning";
      const known = share !== null && doing === "reading";
      const now = state === "queued" ? "Waiting for its turn" : known ? `${said}: ${percent(share)}` : `${said} …`;
      if (words.textContent !== now) words.textContent = now;
      if (known) progress.value = share;
      else progress.removeAttribute("value");
    },
  };
}
