// What the server does with files and projects (docs/http.md#projects).

import { address, json, once, Problem, send } from "../api.js";
import { sentence } from "../format.js";

/** @typedef {{ name: string, title: string, documents: number, reviews: number, archived: number,
 *   changed: string | null, last: string | null, made_here: boolean, is_archived: boolean }} Project */
/** @typedef {{ id: string, state: "sending" | "ready" | "making" | "done", size: number, received: number,
 *   count: number, first: string, index: string | null, job: string | null }} Upload */
/** @typedef {{ id: string, state: string, doing: string | null, share: number | null, result: any, problem: any }} Job */

const LOOK = 400; // milliseconds between looks at a job
const AGAIN = 10; // tries of a piece while the server is busy

/** What can be sent here, and how much of it. */
export const about = once("/v1/projects/about");

/** @param {boolean} [archived] whether archived ones are listed as well @returns {Promise<{ projects: Project[], creates: boolean, archived: number }>} */
export const projects = (archived = false) => json("GET", `/v1/projects${archived ? "?archived=true" : ""}`);

/** @param {string} index */
export async function project(index) {
  const found = (await projects(true)).projects.find(({ name }) => name === index);
  if (!found) throw new Problem(`There is no project ${index} any more.`, 404);
  return found;
}

/** @param {string} index @param {{ title?: string, archived?: boolean }} given */
export const changeProject = (index, given) => json("PATCH", address("indexes", index), given);

/** @param {string} index */
export const removeProject = (index) =>
  json("DELETE", `${address("indexes", index)}?${new URLSearchParams({ name: index })}`);

/** @returns {Promise<Upload[]>} those that somebody can go on with */
export const uploads = async () => (await json("GET", "/v1/uploads")).uploads;

/** @param {string} id @returns {Promise<Upload>} */
export const upload = (id) => json("GET", address("uploads", id));

/** @param {string} id */
export const dropUpload = (id) => json("DELETE", address("uploads", id));

/** @param {string} id @param {any} asked @returns {Promise<Job>} */
export const look = (id, asked) => begun(`${address("uploads", id)}/preview`, asked);

/** @param {any} given @returns {Promise<Job>} */
export const makeIndex = (given) => begun("/v1/indexes", given);

/** @param {string} index @param {any} given @returns {Promise<Job>} */
export const addFiles = (index, given) => begun(`${address("indexes", index)}/files`, given);

/** Begin a job; one that is done already comes with its result. @param {string} url @param {any} given */
async function begun(url, given) {
  const answer = await send("POST", `${url}?wait=0.2`, given);
  const body = await answer.json();
  return answer.status === 202 ? body : { state: "done", result: body };
}

/** @param {string} id @returns {Promise<Job>} */
export const job = (id) => json("GET", address("jobs", id));

/** @param {string} id */
export const cancelJob = (id) => json("DELETE", address("jobs", id));

/**
 * Look at a job until it is done; leaving the page does not end it.
 * @param {Job} now
 * @param {AbortSignal} signal
 * @param {(job: Job) => void} onProgress
 * @returns {Promise<any>} its result; null where it was cancelled
 */
export async function finished(now, signal, onProgress) {
  for (;;) {
    signal.throwIfAborted();
    if (now.state === "done") return now.result;
    if (now.state === "cancelled") return null;
    if (now.state === "failed") throw new Problem(sentence(now.problem.detail), now.problem.status);
    onProgress(now);
    await pause(LOOK);
    now = await job(now.id);
  }
}

/** @typedef {{ name: string, file: File }} Sent a file, and its path below what was dropped */

/**
 * Send files in pieces.
 * @param {Sent[]} files
 * @param {AbortSignal} signal ends it, and drops what was sent
 * @param {(sent: number, total: number) => void} onProgress
 * @returns {Promise<Upload>}
 */
export async function sendFiles(files, signal, onProgress) {
  const list = files.map(({ name, file }) => ({ name, size: file.size }));
  const made = await json("POST", "/v1/uploads", { files: list }, signal);
  const { piece } = await about();
  const step = Math.min(piece, 2 << 20); // a slow line has half a minute for each
  let sent = 0;
  try {
    for (const [number, { file }] of files.entries()) {
      for (let offset = 0; offset < file.size; offset += step) {
        const part = file.slice(offset, offset + step);
        await patiently(() => json("PUT", `${address("uploads", made.id, "files", String(number))}?offset=${offset}`, part, signal), signal);
        sent += part.size;
        onProgress(sent, made.size);
      }
    }
  } catch (error) {
    void dropUpload(made.id).catch(() => {});
    throw error;
  }
  return upload(made.id);
}

/** @param {() => Promise<any>} work @param {AbortSignal} signal */
async function patiently(work, signal) {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      const busy = error instanceof Problem && (error.status === 429 || error.status === 503);
      if (!busy || tried === AGAIN) throw error;
      await pause(300 * tried);
      signal.throwIfAborted();
    }
  }
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Whatever lists indexes asks for them again. */
export const indexesChanged = () => window.dispatchEvent(new Event("indexes"));
