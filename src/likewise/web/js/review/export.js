// Judgements, relevant documents and the learned query as files.

import { h, button } from "../dom.js";
import { tellProblem } from "../notices.js";

const FORMATS = [
  { format: "csv", title: "CSV", about: "Judgements for a spreadsheet.", suffix: ".csv" },
  { format: "jsonl", title: "JSON lines", about: "Judgements for programs, one a line.", suffix: ".jsonl" },
  { format: "ris", title: "RIS", about: "Relevant documents for Zotero, EndNote and others.", suffix: ".ris" },
  { format: "qrels", title: "qrels", about: "Judgements for TREC’s evaluation tools.", suffix: ".qrels" },
  { format: "query", title: "Learned query", about: "To rank other documents: likewise search --query FILE.", suffix: ".query.json" },
];

/** @param {import("./view.js").Review} review */
export function exportPart(review) {
  const items = FORMATS.map(({ format, title, about, suffix }) =>
    h("li", {}, h("div", {}, h("h3", {}, title), h("p", { class: "muted" }, about)),
      button("Download", () => download(review, format, suffix), {
        class: "small", "aria-label": `Download ${title}`, "data-format": format,
      })));
  return { element: h("section", { class: "stack large", "aria-label": "Export" }, h("ul", { class: "plain exports" }, ...items)) };
}

/** By fetch, since a link cannot send a token. @param {import("./view.js").Review} review @param {string} format @param {string} suffix */
async function download(review, format, suffix) {
  try {
    const address = URL.createObjectURL(await review.api.export(format));
    const link = h("a", { href: address, download: review.name.replace(/[^\p{L}\p{N}._ -]+/gu, "-") + suffix });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    tellProblem(error);
  }
}
