// The full text of the record that is judged: its PDF beside it, or a place to drop one.

import { h, button, fill } from "../dom.js";
import { count, moment, size } from "../format.js";
import { tell, tellProblem } from "../notices.js";
import { listen, picker } from "../projects/dropZone.js";
import { dialog } from "./dialog.js";
import { asReviewer } from "./reviewer.js";

/** @typedef {{ number: number | null, id: string, document: string, name: string, size: number, by: string,
 *   at: string | null, yours: boolean }} Pdf */
/** @typedef {{ name: string, why: string }} Left a file that was not attached */
/** @typedef {import("../api.js").Hit} Hit */

export const STAGE = "full text";
export const LOST = "not retrieved"; // the reason that the flow diagram counts apart
const TYPE = "application/pdf";
const VIEWED = "#navpanes=0&view=FitH"; // as wide as there is room, without a list of pages
const WIDE = "(min-width: 60.01rem)"; // else it is a link: style/fulltext.css

/** @param {import("./view.js").Review} review @param {{ onLost: () => void, onBack: () => void }} how */
export function fullText(review, { onLost, onBack }) {
  const ended = new AbortController();
  const body = h("div", { class: "full-text-body" });
  const state = h("p", { class: "muted", role: "status" });
  const some = picker("Attach PDFs …", { multiple: true, accept: `.pdf,${TYPE}` }, "link");
  const element = h("section", { class: "full-text", "aria-label": "Full text", hidden: true },
    h("div", { class: "row between full-text-state" }, state, some.element), body);
  /** What is shown now. @type {Hit | null} */
  let hit = null;
  /** @type {AbortController | null} */
  let asking = null;
  let url = ""; // of the PDF in the frame
  let sending = false;

  const who = () => asReviewer(review.reviewer());
  some.input.addEventListener("change", () => take(some.input));

  /** @param {HTMLInputElement} input */
  function take(input) {
    void attach([...(input.files ?? [])]);
    input.value = "";
  }

  /** @param {Hit | null} to */
  function show(to) {
    if (to === hit) return;
    hit = to;
    void load();
  }

  async function load() {
    asking?.abort();
    release();
    fill(body);
    if (!hit) return;
    const { signal } = asking = new AbortController();
    try {
      const found = await review.api.attachments([hit.id], signal);
      if (found.length) present(found, found[0]);
      else empty();
    } catch (error) {
      tellProblem(error);
    }
  }

  function release() {
    if (url) URL.revokeObjectURL(url);
    url = "";
  }

  function empty() {
    const one = picker("Choose a PDF", { multiple: true, accept: `.pdf,${TYPE}` });
    one.input.addEventListener("change", () => take(one.input));
    fill(body, h("div", { class: "drop-zone no-pdf" }, h("div", { class: "stack" },
      h("h2", { class: "drop-title" }, "There is no PDF of this record yet"),
      h("p", { class: "muted" }, "Drop it here. Several at once find their records by DOI, title or name."),
      h("div", { class: "row center" }, one.element,
        button("Full text could not be retrieved", onLost, { title: "Not relevant, for the reason “not retrieved”" })))));
  }

  /** @param {Pdf[]} found @param {Pdf} one */
  function present(found, one) {
    const place = h("div", { class: "pdf-place" });
    const chosen = found.length > 1
      ? h("select", { "aria-label": "Which PDF", on: { change: () => present(found, found[chosen.selectedIndex]) } },
        ...found.map((other) => h("option", { selected: other === one }, other.name)))
      : h("h2", { class: "pdf-name" }, one.name);
    const link = h("a", { target: "_blank", class: "pdf-link", "aria-disabled": "true" }, "Open the PDF");
    fill(body, h("div", { class: "row between pdf-head" },
      h("div", {}, chosen, h("p", { class: "muted" }, about(one))),
      h("div", { class: "row" }, one.yours && button("Remove", () => remove(one), { class: "link" }), link)), place);
    void open(one, link, place);
  }

  /** @param {Pdf} one @param {HTMLAnchorElement} link @param {Element} place */
  async function open(one, link, place) {
    release();
    const signal = asking?.signal;
    try {
      const bytes = await review.api.pdf(one, signal);
      // Whatever the file is, the browser is to take it for a PDF and for nothing else.
      url = URL.createObjectURL(new Blob([bytes], { type: TYPE }));
      link.href = url;
      link.removeAttribute("aria-disabled");
      if (matchMedia(WIDE).matches) fill(place, h("iframe", { src: url + VIEWED, title: `Full text: ${one.name}` }));
    } catch (error) {
      tellProblem(error);
    }
  }

  /** @param {Pdf} one */
  function remove(one) {
    dialog(`Remove “${one.name}”?`, [h("p", {}, "It is taken off the record. The judgement stays.")], {
      done: "Remove",
      onDone: async () => {
        await review.api.detach(one.number, review.reviewer());
        void load();
        void tally();
      },
    });
  }

  /** One file is the record's that is shown; several find theirs. @param {File[]} files */
  async function attach(files) {
    if (sending || !files.length || !hit) return;
    const target = hit;
    /** @type {Left[]} */
    const left = [];
    sending = true;
    for (const [i, file] of files.entries()) {
      state.textContent = files.length > 1 ? `Attaching ${i + 1} of ${files.length} …` : `Attaching ${file.name} …`;
      try {
        const given = { file: file.name, id: files.length > 1 ? null : target.id, ...who() };
        await review.api.attach(new Blob([file], { type: TYPE }), given, ended.signal);
      } catch (error) {
        if (ended.signal.aborted) return;
        left.push({ name: file.name, why: reason(file.name, error) });
      }
    }
    sending = false;
    await tally();
    if (files.length > 1) tellOf(files.length, left);
    else if (left.length) tell(`${left[0].name} ${left[0].why}`, { bad: true });
    void load();
  }

  async function tally() {
    try {
      const { ids, sought } = await review.api.missing();
      state.textContent = ids.length ? `${count(sought - ids.length)} of ${count(sought)} full texts are here` : "All full texts are here";
    } catch (error) {
      tellProblem(error);
    }
  }

  /** Begin, at this stage only. */
  function start() {
    element.hidden = false;
    void tally();
    listen(element, ended.signal, (data) => void attach([...data.files]));
    window.addEventListener("blur", () => {
      const inside = document.activeElement instanceof HTMLIFrameElement && element.contains(document.activeElement);
      if (inside) fill(state, "The keys go to the PDF. ", button("Back to judging", onBack, { class: "link" }));
    }, { signal: ended.signal });
    window.addEventListener("focus", () => !sending && void tally(), { signal: ended.signal });
  }

  return {
    element,
    start,
    show,
    isOn: () => !element.hidden,
    needsReason: () => !element.hidden && review.protocol().require_reason,
    close() {
      ended.abort();
      asking?.abort();
      release();
    },
  };
}

/** @param {Pdf} one */
function about({ size: bytes, by, at, number }) {
  const from = number === null ? "from the folder that was indexed" : `attached${by ? ` by ${by}` : ""}, ${moment(at)}`;
  return `${size(bytes)} · ${from}`;
}

/** Why a file was left, without its name. @param {string} name @param {unknown} error */
function reason(name, error) {
  const said = error instanceof Error ? error.message : String(error);
  return said.toLowerCase().startsWith(name.toLowerCase()) ? said.slice(name.length).replace(/^:? /, "") : said;
}

/** @param {number} all @param {Left[]} left */
function tellOf(all, left) {
  const done = all - left.length;
  if (!left.length) tell(`${count(all)} PDFs are attached to their records.`);
  else dialog(`${count(done)} of ${count(all)} PDFs found their records`, [
    h("p", {}, "These did not. Open a record and drop its PDF alone."),
    h("ul", { class: "places plain" }, ...left.map(({ name, why }) => h("li", {}, h("strong", {}, name), h("br"), why)))], { wide: true });
}
