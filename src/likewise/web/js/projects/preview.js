// What is in files: records, fields, duplicates, labels, and what cannot be read.

import { h, fill } from "../dom.js";
import { count, counted } from "../format.js";
import { fieldName } from "../meta.js";
import { bar } from "./bar.js";
import { finished, look } from "./server.js";
import { kinds, usualFirst, worded } from "./words.js";

const FEW = 8; // fields that are shown at once
const SAME = { id: "the same id", doi: "the same DOI", pmid: "the same PubMed id" };
const LABELS = { relevant: "relevant", not: "not relevant", unsure: "unsure" };

/** @param {string} id of the upload @param {string | undefined} index @param {AbortSignal} ended */
export function previewOf(id, index, ended) {
  const element = h("section", { class: "preview stack", "aria-label": "What is in the files", "aria-busy": "true" });
  let own = new AbortController();

  /** @param {any} [reading] how, where that is not found out */
  function show(reading) {
    own.abort();
    own = new AbortController();
    const shown = bar();
    const signal = AbortSignal.any([ended, own.signal]);
    element.setAttribute("aria-busy", "true");
    fill(element, shown.element);
    look(id, { index: index ?? null, ...(reading && { reading }) })
      .then((job) => finished(job, signal, shown.show))
      .then((found) => { if (found) fill(element, ...drawn(found, Boolean(index))); })
      .catch((error) => { if (!signal.aborted) fill(element, h("p", { class: "bad" }, error.message)); })
      .finally(() => { if (!signal.aborted) element.removeAttribute("aria-busy"); });
  }

  show();
  return { element, show, close: () => own.abort() };
}

/** @param {any} found @param {boolean} adding */
function drawn(found, adding) {
  return [
    h("h2", { class: "found-count" }, counted(found.documents, "record")),
    h("p", { class: "muted" }, [kinds(found.types), formats(found.formats)].filter(Boolean).join(" · ")),
    problems(found),
    duplicates(found, adding),
    labels(found.labels),
    found.fields.length > 0 && fields(found),
    ...found.remarks.map((/** @type {string} */ remark) => h("p", { class: "muted" }, remark)),
  ];
}

/** @param {Record<string, number>} found */
const formats = (found) => Object.keys(found).filter(Boolean).map((name) => name.toUpperCase()).join(", ");

/** @param {any} found */
function problems({ problems: listed, problem_count: number, unknown, characters_replaced: replaced }) {
  const passed = Object.entries(unknown).map(([suffix, files]) => `${count(Number(files))} ${suffix || "without a suffix"}`);
  if (!number && !passed.length && !replaced) return null;
  return h("div", { class: "told bad-told" },
    number > 0 && h("details", { open: number <= 3 },
      h("summary", {}, h("strong", {}, `${counted(number, "part")} cannot be read and ${number === 1 ? "is" : "are"} left out`)),
      h("ul", { class: "plain places" }, ...listed.map((/** @type {any} */ one) =>
        h("li", {}, h("span", { class: "place" }, one.place), " ", one.message))),
      number > listed.length && h("p", { class: "muted" }, `and ${count(number - listed.length)} more`)),
    passed.length > 0 && h("p", {}, `Files of other kinds are passed over: ${passed.join(", ")}.`),
    replaced > 0 && h("p", {}, `${counted(replaced, "character")} could not be read and became �.`));
}

/** @param {any} found @param {boolean} adding */
function duplicates({ duplicates: by, alike }, adding) {
  const found = Object.entries(by).filter(([, number]) => Number(number));
  const total = found.reduce((sum, [, number]) => sum + Number(number), 0);
  if (!total && !alike) return h("p", { class: "told" }, adding ? "None of them is there already." : "No duplicates were found.");
  const same = found.map(([key, number]) => `${found.length > 1 ? `${count(Number(number))} with ` : ""}${SAME[/** @type {keyof typeof SAME} */ (key)]}`);
  return h("div", { class: "told" },
    total > 0 && h("p", {}, h("strong", {}, counted(total, "duplicate")), `, ${found.length > 1 ? "" : "with "}${same.join(", ")} as `,
      adding ? "a record that is there already, or twice in these files." : "an earlier record. Only the first of each is kept."),
    alike > 0 && h("p", {}, h("strong", {}, count(alike)), total ? " more" : ` ${alike === 1 ? "record" : "records"}`, alike === 1 ? " has" : " have",
      " nearly the title of an earlier one. ", alike === 1 ? "It is" : "They are", " kept, and reviews show such records as one."));
}

/** @param {Record<string, number>} found */
function labels(found) {
  const named = Object.entries(found).map(([label, number]) => `${count(number)} ${LABELS[/** @type {keyof typeof LABELS} */ (label)]}`);
  return named.length > 0 && h("p", { class: "told" }, h("strong", {}, "Labels were found: "),
    `${named.join(", ")}. A review can begin with them.`);
}

/** @param {any} found */
function fields({ fields: found, documents }) {
  const ordered = usualFirst(found);
  const [first, others] = [ordered.slice(0, FEW), ordered.slice(FEW)];
  return h("div", { class: "stack" }, h("h3", {}, "Fields that were recognised"), table(first, documents),
    others.length > 0 && h("details", { class: "details" },
      h("summary", {}, `${counted(others.length, "more field")}`), table(others, documents)));
}

/** @param {any[]} found @param {number} documents */
function table(found, documents) {
  const row = (/** @type {any} */ one) => h("tr", {},
    h("th", { scope: "row" }, fieldName(one.name, one.label)),
    h("td", { class: "number" }, one.documents === documents ? "all" : count(one.documents)),
    h("td", {}, h("div", { class: "example" }, worded(one.name, one.example))));
  return h("table", { class: "figures fields-found" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Field"), h("th", { scope: "col" }, "Records"), h("th", { scope: "col" }, "For example"))),
    h("tbody", {}, ...found.map(row)));
}
