// Documents with their judgements, and the learned query, as files: in the formats that the server writes.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { tellProblem } from "../notices.js";

/** @typedef {{ name: string, title: string, about: string, suffix: string, records: boolean }} Format */

const WHICH = [
  { value: "judged", text: "Judged documents" },
  { value: "relevant", text: "Relevant documents" },
  { value: "all", text: "All documents of the index" },
];

/** @param {import("./view.js").Review} review */
export function exportPart(review) {
  const which = h("select", { id: "export-records" },
    ...WHICH.map(({ value, text }) => h("option", { value }, text)));
  const list = h("ul", { class: "plain exports" });
  void show();

  async function show() {
    try {
      /** @type {Format[]} */
      const formats = (await api.exports_()).formats;
      fill(list, ...formats.map(item));
    } catch (error) {
      tellProblem(error);
    }
  }

  /** @param {Format} format */
  const item = (format) =>
    h("li", {}, h("div", {}, h("h3", {}, format.title), h("p", { class: "muted" }, format.about)),
      button("Download", () => download(review, format, which.value), {
        class: "small", "aria-label": `Download ${format.title}`, "data-format": format.name,
      }));

  return {
    element: h("section", { class: "stack large", "aria-label": "Export" },
      h("p", { class: "row" }, h("label", { for: "export-records" }, "Export"), which), list),
  };
}

/** By fetch, since a link cannot send a token. @param {import("./view.js").Review} review @param {Format} format @param {string} records */
async function download(review, format, records) {
  try {
    // Judgements without documents are those of judged documents.
    const asked = format.records || records === "relevant" ? records : "judged";
    const address = URL.createObjectURL(await review.api.export(format.name, asked));
    const name = review.name.replace(/[^\p{L}\p{N}._ -]+/gu, "-");
    const link = h("a", { href: address, download: name + format.suffix });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    tellProblem(error);
  }
}
