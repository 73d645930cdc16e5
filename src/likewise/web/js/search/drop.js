// Documents dropped anywhere on the page, or pasted where nothing else takes them.

import { Problem } from "../api.js";
import { tellProblem } from "../notices.js";
import { readFiles } from "./documents.js";

const SHORTEST = 20; // characters of text that can be an example

/**
 * @param {HTMLElement} element gets a class while something is held over the page
 * @param {(read: import("./documents.js").Read) => void} use
 * @returns {() => void} to stop
 */
export function takeDocuments(element, use) {
  const ended = new AbortController();
  const { signal } = ended;
  /** @param {DataTransfer | null} data */
  const take = (data) => read(data).then(use, tellProblem);
  document.addEventListener("dragover", (event) => {
    if (!isDocument(event.dataTransfer)) return;
    event.preventDefault();
    element.classList.add("dropping");
  }, { signal });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) element.classList.remove("dropping");
  }, { signal });
  document.addEventListener("drop", (event) => {
    element.classList.remove("dropping");
    if (isField(event.target) || !isDocument(event.dataTransfer)) return;
    event.preventDefault();
    void take(event.dataTransfer);
  }, { signal });
  document.addEventListener("paste", (event) => {
    if (isField(event.target) || event.defaultPrevented) return;
    event.preventDefault();
    void take(event.clipboardData);
  }, { signal });
  return () => ended.abort();
}

/** @param {DataTransfer | null} data */
const isDocument = (data) => Boolean(data?.types.some((type) => type === "Files" || type === "text/plain"));

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && Boolean(target.closest("input, textarea, select"));

/** @param {DataTransfer | null} data */
async function read(data) {
  const files = [...(data?.files ?? [])];
  if (files.length) return readFiles(files);
  const text = data?.getData("text/plain").trim() ?? "";
  if (text.length < SHORTEST) throw new Problem("That is too short for an example: give at least a sentence.");
  return { documents: [{ title: "", text }], problems: [] };
}
