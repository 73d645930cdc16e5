// Files as examples, in the formats that the readers of an index know: text, Markdown, JSON lines,
// CSV and TSV, each also compressed as .gz.

import { Problem } from "../api.js";

/** @typedef {import("../stash.js").Typed} Typed */

const MOST = 200; // examples from files at once
const LARGEST = 8 << 20; // bytes of a file, unpacked

/** @type {Record<string, (text: string, name: string) => Typed[]>} */
const READERS = {
  ".txt": plain,
  ".md": markdown,
  ".markdown": markdown,
  ".jsonl": jsonLines,
  ".ndjson": jsonLines,
  ".csv": (text, name) => table(text, ",", name),
  ".tsv": (text, name) => table(text, "\t", name),
  ".tab": (text, name) => table(text, "\t", name),
};
export const ACCEPTED = [...Object.keys(READERS), ".gz"];

/** @param {File[]} files @returns {Promise<Typed[]>} */
export async function readFiles(files) {
  const found = (await Promise.all(files.map(read))).flat();
  if (!found.length) throw new Problem("There is no text in these files.");
  if (found.length > MOST) {
    throw new Problem(`These are ${found.length} documents: choose up to ${MOST} as examples.`);
  }
  return found;
}

/** @param {File} file @returns {Promise<Typed[]>} */
async function read(file) {
  const name = file.name.replace(/\.gz$/i, "");
  const suffix = /\.[^.]*$/.exec(name.toLowerCase())?.[0] ?? "";
  const reader = READERS[suffix] ?? (file.type.startsWith("text/") ? plain : null);
  if (!reader) {
    throw new Problem(`${file.name} cannot be read here: give ${Object.keys(READERS).join(", ")}.`);
  }
  const stream = name === file.name ? file.stream() : file.stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await limited(stream, file.name);
  return reader(text.replace(/^\ufeff/, ""), file.name).filter((one) => one.text.trim());
}

/** @param {ReadableStream<any>} stream @param {string} name */
async function limited(stream, name) {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (const reader = stream.getReader(); ;) {
      const { value, done } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > LARGEST) break;
    }
  } catch {
    throw new Problem(`${name} cannot be read: it may be damaged.`);
  }
  throw new Problem(`${name} is larger than ${LARGEST >> 20} MB: give a part of it.`);
}

/** @param {string} text @param {string} name @returns {Typed[]} */
function plain(text, name) {
  return [{ title: name, text }];
}

/** @param {string} text @param {string} name @returns {Typed[]} */
function markdown(text, name) {
  const title = /^#\s+(.+)$/m.exec(text)?.[1].trim();
  return [{ title: title ?? name, text }];
}

/** @param {string} text @param {string} name @returns {Typed[]} */
function jsonLines(text, name) {
  return text.split("\n").flatMap((line, i) => {
    if (!line.trim()) return [];
    try {
      return [record(JSON.parse(line))];
    } catch {
      throw new Problem(`${name}, line ${i + 1}: this is no JSON object.`);
    }
  });
}

/** @param {any} values @returns {Typed} */
function record(values) {
  const text = values.text ?? values.abstract ?? "";
  return { title: String(values.title ?? ""), text: String(text) || String(values.title ?? "") };
}

/** @param {string} text @param {string} separator @param {string} name @returns {Typed[]} */
function table(text, separator, name) {
  const [head = [], ...rows] = cells(text, separator);
  const names = head.map((one) => one.trim().toLowerCase());
  if (!["text", "abstract", "title"].some((one) => names.includes(one))) {
    throw new Problem(`${name} has no column called text, abstract or title.`);
  }
  return rows.map((row) => record(Object.fromEntries(row.map((cell, i) => [names[i], cell]))));
}

/** Rows of cells; those in quotation marks may hold anything. @param {string} text @param {string} separator */
function cells(text, separator) {
  /** @type {string[][]} */
  const rows = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, "y");
  let row = /** @type {string[]} */ ([]);
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) break;
    row.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
    if (match[3] === separator) continue;
    if (row.some(Boolean)) rows.push(row);
    row = [];
  }
  return rows;
}
