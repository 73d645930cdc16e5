// Files as examples. The server reads them, as it reads files for an index.

import * as api from "../api.js";

/** @typedef {{ documents: import("../stash.js").Typed[], problems: string[] }} Read */

/**
 * @param {File[]} files
 * @param {boolean} [whole] with ids and fields, and not only titles and texts
 * @returns {Promise<Read>}
 */
export async function readFiles(files, whole = false) {
  const limits = await api.formats();
  const read = await Promise.all(files.map((file) => readOne(file, limits, whole)));
  const documents = read.flatMap((one) => one.documents);
  const problems = read.flatMap((one) => one.problems);
  if (!documents.length) throw new api.Problem(problems[0] ?? "There is no text in these files.");
  if (documents.length > limits.documents) {
    throw new api.Problem(`These are ${documents.length} documents: choose up to ${limits.documents} as examples.`);
  }
  return { documents, problems };
}

/** @param {File} file @param {{ bytes: number, suffixes: string[] }} limits @param {boolean} whole @returns {Promise<Read>} */
async function readOne(file, { bytes, suffixes }, whole) {
  const { name } = file;
  if (file.size > bytes) throw new api.Problem(`${name} is larger than ${bytes >> 20} MB: give a part of it.`);
  const known = suffixes.some((suffix) => name.toLowerCase().endsWith(suffix));
  const format = !known && file.type.startsWith("text/") ? { format: "text" } : {};
  const { documents, problems } = await api.readFile({ name, content: await base64(file), ...format });
  const only = documents.length === 1 ? name : ""; // what a file without a title is called
  const filled = documents.filter(({ title, text }) => text.trim() || title.trim());
  return { documents: filled.map(({ title, text, ...rest }) => ({
    ...(whole ? rest : {}), title: title || only, text: text || title,
  })), problems };
}

/** @param {File} file @returns {Promise<string>} */
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(new api.Problem(`${file.name} cannot be read by the browser.`));
    reader.readAsDataURL(file);
  });
}
