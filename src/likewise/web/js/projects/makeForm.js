// A name for the new project, and how its files are taken.

import { h } from "../dom.js";
import { about } from "./server.js";

const DUPLICATES = {
  skip: "Keep the first, leave the others out",
  replace: "Keep the last of them",
};

const COLUMNS = { title_column: "Column of the title", text_column: "Column of the text or abstract", id_column: "Column of the id" };

/**
 * @param {import("./server.js").Upload} upload
 * @param {string | undefined} index that is added to, instead of a new one
 * @param {(given: any) => Promise<void>} make
 * @param {(reading: any) => void} look again, since it is read otherwise
 */
export function form(upload, index, make, look) {
  const name = h("input", { id: "project-name", name: "name", required: true, maxlength: 180, autocomplete: "off" });
  name.value = proposed(upload.first);
  const language = h("select", { id: "project-language" });
  const duplicates = h("select", { id: "project-duplicates" },
    ...Object.entries(DUPLICATES).map(([value, label]) => h("option", { value }, label)));
  const columns = Object.entries(COLUMNS).map(([key, label]) => {
    const input = h("input", { id: `project-${key}`, maxlength: 300, autocomplete: "off", on: { change: () => look(reading()) } });
    return { key, input, element: field(label, input) };
  });
  const problem = h("p", { class: "bad", role: "alert" });
  const begin = h("button", { class: "primary" }, index ? "Add these" : "Make the project");
  about().then(({ languages }) => language.append(...languages.map((/** @type {string} */ one) =>
    h("option", { value: one, selected: one === "english" }, one === "none" ? "any other" : one))));

  /** How files are read, where that is not found out. */
  const reading = () => Object.fromEntries(columns.map(({ key, input }) => [key, input.value.trim()]).filter(([, value]) => value));

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (begin.disabled) return;
    begin.disabled = true;
    problem.textContent = "";
    const given = { upload: upload.id, on_duplicate: duplicates.value, reading: reading() };
    try {
      await make(index ? given : { ...given, name: name.value.trim(), language: language.value || "english" });
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      begin.disabled = false;
    }
  }

  const details = h("details", { class: "details" }, h("summary", {}, "Details"),
    h("div", { class: "stack" },
      !index && field("Language of the texts", language),
      field("Records with the same id, DOI or PMID", duplicates),
      h("p", {}, "Columns of a table are found by their names. Say here which they are, if they were not found:"),
      ...columns.map(({ element: one }) => one)));
  const element = h("form", { class: "panel create stack", on: { submit } },
    !index && field("Name of the project", name), details, problem, h("div", { class: "row" }, begin));
  return { element, say: (/** @type {string} */ text) => { problem.textContent = text; } };
}

/** @param {string} label @param {Element} control */
const field = (label, control) => h("div", { class: "labelled" }, h("label", { for: control.id }, label), control);

/** The folder's name, or the file's without its suffix. @param {string} first */
function proposed(first) {
  const [folder, ...below] = first.split("/");
  const name = below.length ? folder : folder.replace(/(\.[A-Za-z0-9]{1,8}){1,2}$/, "");
  return name.replace(/[<>:"|?*]/g, " ").replace(/^[.\-\s]+|[.\s]+$/g, "").slice(0, 80) || "My project";
}
