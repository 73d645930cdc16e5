// Where files are dropped or chosen, and how far they have been sent.

import { h, button, fill } from "../dom.js";
import { counted, percent, size } from "../format.js";
import { filesAddress, go } from "../router.js";
import { chosen, dropped } from "./chosen.js";
import { sendFiles } from "./server.js";

/** @param {string} [index] that the files are added to; without one they become a new index */
export function dropZone(index) {
  const files = picker("Choose files", { multiple: true });
  const folder = picker("Choose a folder", { webkitdirectory: true });
  const body = h("div", { class: "stack" });
  const problem = h("p", { class: "bad", role: "alert" });
  const element = h("div", { class: "panel drop-zone" }, body, problem);
  const ended = new AbortController(); // the page shows something else
  /** @type {AbortController | null} */
  let sending = null;

  const rest = () => fill(body,
    h("p", { class: "drop-title" }, "Drop a file or a folder here"),
    h("p", { class: "muted" }, "References as RIS, PubMed, BibTeX or EndNote; tables as CSV or Excel; PDF, Word and text; and archives of these."),
    h("div", { class: "row center" }, files.element, folder.element));

  /** @param {import("./server.js").Sent[]} found */
  async function take(found) {
    if (sending) return;
    problem.textContent = "";
    if (!found.length) {
      problem.textContent = "There was no file in that.";
      return;
    }
    const stop = sending = new AbortController();
    const bar = h("progress", { max: 1, "aria-label": "Sent" });
    const said = h("p", { class: "muted" });
    fill(body, h("p", { class: "drop-title" }, `Sending ${found.length === 1 ? found[0].name : counted(found.length, "file")}`),
      bar, said, h("div", { class: "row center" }, button("Cancel", () => stop.abort(), { class: "small" })));
    window.addEventListener("beforeunload", ask);
    try {
      const made = await sendFiles(found, stop.signal, (sent, total) => {
        bar.value = total ? sent / total : 1;
        said.textContent = `${percent(total ? sent / total : 1)} of ${size(total)}`;
      });
      if (!ended.signal.aborted) go(filesAddress(made.id, index));
    } catch (error) {
      if (!stop.signal.aborted) problem.textContent = error instanceof Error ? error.message : String(error);
      rest();
    } finally {
      window.removeEventListener("beforeunload", ask);
      sending = null;
    }
  }

  for (const one of [files, folder]) {
    one.input.addEventListener("change", () => {
      void take(chosen([...one.input.files]));
      one.input.value = "";
    });
  }
  listen(element, ended.signal, (data) => void dropped(data).then(take, (error) => {
    problem.textContent = `That cannot be read: ${error.message}`;
  }));
  rest();
  return {
    element,
    close() {
      ended.abort();
      sending?.abort();
    },
  };
}

/** Files may be dropped anywhere on the page. @param {Element} element @param {AbortSignal} signal @param {(data: DataTransfer) => void} use */
export function listen(element, signal, use) {
  const holds = (/** @type {DragEvent} */ event) => Boolean(event.dataTransfer?.types.includes("Files"));
  document.addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    element.classList.add("held");
  }, { signal });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) element.classList.remove("held");
  }, { signal });
  document.addEventListener("drop", (event) => {
    element.classList.remove("held");
    if (!holds(event)) return;
    event.preventDefault();
    use(/** @type {DataTransfer} */ (event.dataTransfer));
  }, { signal });
}

/** A button that opens the system's dialogue. @param {string} label @param {Record<string, any>} more @param {string} [look] */
export function picker(label, more, look = "") {
  const input = h("input", { type: "file", hidden: true, "aria-label": label, ...more });
  return { input, element: h("span", {}, button(label, () => input.click(), { class: look }), input) };
}

/** A question of the browser's own before the page is left. @param {BeforeUnloadEvent} event */
const ask = (event) => event.preventDefault();
