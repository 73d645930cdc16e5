// Documents with their judgements, and the learned query, as files: in the formats that the server writes.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { download } from "../download.js";
import { tellProblem } from "../notices.js";
import { reportSection } from "./report.js";

/** @typedef {{ name: string, title: string, about: string, suffix: string, records: boolean }} Format */

const WHICH = [
  { value: "judged", text: "Judged records" },
  { value: "relevant", text: "Relevant records" },
  { value: "all", text: "All records" },
];

/** What most people want; other formats are behind a fold. */
const USUAL = ["csv", "xlsx", "ris", "nbib", "endnote-xml", "bibtex"];

/** @param {import("./view.js").Review} review */
export function exportPart(review) {
  const which = h("select", { id: "export-records" },
    ...WHICH.map(({ value, text }) => h("option", { value }, text)));
  const list = h("ul", { class: "plain exports" });
  const others = h("ul", { class: "plain exports" });
  void show();

  async function show() {
    try {
      /** @type {Format[]} */
      const formats = (await api.exports_()).formats;
      const usual = USUAL.flatMap((name) => formats.filter((one) => one.name === name));
      fill(list, ...usual.map(item));
      fill(others, ...formats.filter((one) => !usual.includes(one)).map(item));
    } catch (error) {
      tellProblem(error);
    }
  }

  /** @param {Format} format */
  const item = (format) =>
    h("li", {}, h("div", {}, h("h3", {}, format.title), h("p", { class: "muted" }, format.about)),
      button("Download", () => save(review, format, which.value), {
        class: "small", "aria-label": `Download ${format.title}`, "data-format": format.name,
      }));

  return {
    element: h("div", { class: "stack large" },
      h("section", { class: "stack large", "aria-label": "Export" },
        h("p", { class: "row" }, h("label", { for: "export-records" }, "Export"), which), list,
        h("details", { class: "details" }, h("summary", {}, "Other formats, for programs"), others)),
      reportSection(review)),
  };
}

/** @param {import("./view.js").Review} review @param {Format} format @param {string} records */
async function save(review, format, records) {
  try {
    // Judgements without documents are those of judged documents.
    const asked = format.records || records === "relevant" ? records : "judged";
    download(await review.api.export(format.name, asked), review.name + format.suffix);
  } catch (error) {
    tellProblem(error);
  }
}
