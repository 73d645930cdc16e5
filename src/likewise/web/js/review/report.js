// What a publication needs: the flow of records, a text for the methods section, the archive, the trail.

import { h, button, fill } from "../dom.js";
import { download } from "../download.js";
import { tellProblem } from "../notices.js";

/** Files beside the text, each with what it is for. */
const FILES = [
  { path: "/diagram", suffix: ".svg", title: "Flow diagram", about: "PRISMA 2020, as SVG." },
  { path: "/archive", suffix: ".review.zip", title: "Archive",
    about: "All records, judgements and settings in one file. likewise replay makes every page again from it." },
  { path: "/trail", suffix: ".trail.csv", title: "Audit trail", about: "Everything that was done, by whom and when." },
];

/** @param {import("./view.js").Review} review */
export function reportSection(review) {
  const picture = h("div", { class: "flow", "aria-live": "polite", role: "group", "aria-label": "Flow of records", tabindex: 0 });
  const text = h("p", { class: "methods" });
  const sources = h("input", {
    id: "report-sources", placeholder: "PubMed=812, Embase=930", on: { change: () => void show() },
  });

  /** @returns {string[]} */
  const given = () => sources.value.split(/[,;\n]/).map((/** @type {string} */ one) => one.trim()).filter(Boolean);

  async function show() {
    try {
      const [drawn, report] = await Promise.all([review.api.report("/diagram", given()), review.api.report("", given())]);
      const address = URL.createObjectURL(await drawn.blob());
      const image = h("img", { src: address, alt: described((await report.clone().json()).flow) });
      image.addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
      fill(picture, image);
      fill(text, (await report.json()).methods);
    } catch (error) {
      tellProblem(error);
    }
  }

  const copy = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent ?? "");
      copy.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(text);
    }
  }, { class: "small", "aria-label": "Copy the methods" });

  /** @param {typeof FILES[number]} file */
  const item = (file) =>
    h("li", {}, h("div", {}, h("h3", {}, file.title), h("p", { class: "muted" }, file.about)),
      button("Download", async () => {
        try {
          download(await (await review.api.report(file.path, file.path === "/trail" ? [] : given())).blob(), review.name + file.suffix);
        } catch (error) {
          tellProblem(error);
        }
      }, { class: "small", "aria-label": `Download ${file.title}`, "data-report": file.path }));

  void show();
  return h("section", { class: "stack large", "aria-labelledby": "report-title" },
    h("h2", { id: "report-title" }, "For the publication"),
    picture,
    h("p", { class: "stack" }, h("label", { for: "report-sources" }, "Records found in each database (optional)"), sources,
      h("span", { class: "muted hint" }, "Without them, the records and duplicates of the files that were added are counted.")),
    h("div", { class: "row" }, h("h3", {}, "Methods"), copy), text,
    h("ul", { class: "plain exports" }, ...FILES.map(item)));
}

/** The flow in a sentence, for those who do not see the picture. @param {any} flow */
const described = (flow) =>
  `Flow of records: ${flow.identified} identified, ${flow.duplicates} duplicates removed, ${flow.screened} screened, `
  + `${flow.excluded} excluded by reviewers, ${flow.not_reached} not reached, ${flow.included} included.`;
