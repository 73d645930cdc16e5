// The server's API (docs/http.md). What goes wrong becomes a Problem whose message is a sentence.

import { sentence } from "./format.js";
import { tokenFrom, forget, stored } from "./token.js";

/** @typedef {{ term: string, weight: number, word: string }} Weight */
/** @typedef {{ id: string, score: number, rank: number, title: string, snippet: string,
 *   fields: Record<string, any>, terms: Weight[] | null, others: number | null,
 *   label?: import("./labels.js").Label | null, reasons?: string[], note?: string, tags?: string[] }} Hit */
/** @typedef {{ id: string, method: string, reason: string, examples: number, unlike: number,
 *   unlabeled: number, gap: number | null, passes: number, seconds: number, views: Record<string, number>, up: Weight[],
 *   down: Weight[], off: string[], pinned: string[], warnings: string[] }} Learned */
/** @typedef {{ index: string, documents: number, matching: number, hits: Hit[],
 *   next_offset: number | null, query: Learned | null, seconds: number }} Found */
/** @typedef {{ id: string, state: string, seconds: number, passes: number, gap: number | null,
 *   result: Found | Duplicates | null, problem: any }} Job */

export class Problem extends Error {
  /**
   * @param {string} message
   * @param {number} [status]
   */
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/** @param {string[]} parts */
export const address = (...parts) => `/v1/${parts.map(encodeURIComponent).join("/")}`;

/**
 * @param {string} method
 * @param {string} url
 * @param {any} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
export async function send(method, url, body, signal) {
  const token = stored();
  const answer = await attempt(method, url, body, signal);
  if (answer.status === 401) {
    if (stored() === token) {  // or else another request has asked for a new one meanwhile
      forget();
      await tokenFrom(token !== null);
    }
    return send(method, url, body, signal);
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

/** @type {typeof send} */
async function attempt(method, url, body, signal) {
  /** @type {Record<string, string>} */
  const headers = {};
  const token = stored();
  if (token) headers.Authorization = `Bearer ${token}`;
  const bytes = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = bytes ? body.type || "application/octet-stream" : "application/json";
  const content = body === undefined || bytes ? body : JSON.stringify(body);
  try {
    return await fetch(url, { method, headers, body: content, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem("The server does not answer. Is it still running?");
  }
}

/** @param {Response} answer */
async function problemOf(answer) {
  let detail = `the server answers ${answer.status}`;
  try {
    detail = (await answer.json()).detail || detail;
  } catch {
    // Not from the server itself, but from a proxy in front of it.
  }
  const wait = answer.headers.get("Retry-After");
  if (wait && (answer.status === 429 || answer.status === 503)) detail += `; try again in ${wait} s`;
  return new Problem(sentence(detail), answer.status);
}

/**
 * @param {string} method
 * @param {string} url
 * @param {any} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function json(method, url, body, signal) {
  const answer = await send(method, url, body, signal);
  return answer.status === 204 ? null : answer.json();
}

/** What never changes while the server runs is asked for once; a failure is not kept. @param {string} url */
export function once(url) {
  /** @type {Promise<any> | null} */
  let asked = null;
  return () => (asked ??= json("GET", url).catch((error) => {
    asked = null;
    throw error;
  }));
}

/** The methods of searches and of reviews, with what each does. */
export const methods = once("/v1/methods");

/** The formats of files for download. */
export const exports_ = once("/v1/exports");

/** Which files can be read, and how large they may be. */
export const formats = once("/v1/read");

/**
 * The documents of a file.
 * @param {{ name: string, content: string, format?: string }} file its content in base64
 * @returns {Promise<{ documents: { id: string, title: string, text: string }[], problems: string[] }>}
 */
export const readFile = (file) => json("POST", "/v1/read", file);

/** @typedef {{ field: string, operator: string, values: string[] }} Condition */
/**
 * A filter as text and as conditions, of which one is given.
 * @param {{ filter: string } | { conditions: Condition[] }} given
 * @returns {Promise<{ filter: string, conditions: Condition[] }>}
 */
export const filter = (given) => json("POST", "/v1/filters", given);

/** Whose token it is, and what it may do. */
export const me = () => json("GET", "/v1/me");

export const indexes = async () => (await json("GET", "/v1/indexes")).indexes;

/** @param {string} index @param {string} id */
export const document_ = (index, id) => json("GET", address("indexes", index, "documents", id));

/** @param {string} index The fields that can be filtered on, or [] where that is not known. */
export async function fields(index) {
  try {
    return (await json("GET", `${address("indexes", index, "fields")}?most=100`)).fields;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return [];
    throw error;
  }
}

/**
 * What words stand for in an index: each word's terms.
 * @param {string} index
 * @param {string[]} words
 * @returns {Promise<string[][]>}
 */
export const termsOf = async (index, words) =>
  (await json("POST", address("indexes", index, "terms"), { words })).terms;

/**
 * Search; what takes its time is told as a job until it is done.
 * @param {string} index
 * @param {any} request
 * @param {AbortSignal} signal when aborted, the job is cancelled as well
 * @param {(job: Job) => void} onProgress
 * @returns {Promise<Found>}
 */
export async function search(index, request, signal, onProgress) {
  const answer = await send("POST", address("indexes", index, "search"), request, signal);
  const body = await answer.json();
  return answer.status === 202 ? finished(body, signal, onProgress) : body;
}

/** @typedef {{ id: string, title: string, similarity: number, reason: string,
 *   fields: Record<string, any> }} DuplicateRecord */
/** @typedef {{ documents: number, duplicates: number, count: number,
 *   groups: { members: DuplicateRecord[] }[] }} Duplicates */

/**
 * Records of the same paper.
 * @param {string} index
 * @param {{ limit: number, offset: number }} part
 * @param {AbortSignal} signal
 * @param {(job: Job) => void} onProgress
 * @returns {Promise<Duplicates>}
 */
export async function duplicates(index, part, signal, onProgress) {
  const asked = new URLSearchParams({ limit: String(part.limit), offset: String(part.offset), wait: "1" });
  const answer = await send("GET", `${address("indexes", index, "duplicates")}?${asked}`, undefined, signal);
  const body = await answer.json();
  return answer.status === 202 ? finished(body, signal, onProgress) : body;
}

/**
 * @param {Job} job
 * @param {AbortSignal} signal
 * @param {(job: Job) => void} onProgress
 * @returns {Promise<any>}
 */
async function finished(job, signal, onProgress) {
  onProgress(job);
  const url = address("jobs", job.id);
  const cancel = () => void attempt("DELETE", url).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    for await (const now of events(`${url}/events`, signal)) {
      if (now.state === "done") return now.result;
      if (now.state === "cancelled") throw new Problem("The work was cancelled.");
      if (now.state === "failed") throw new Problem(sentence(now.problem.detail), now.problem.status);
      onProgress(now);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  throw new Problem("The server ended the work without a result.");
}

/**
 * Server-sent events, by fetch: an EventSource cannot send a token.
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function* events(url, signal) {
  const answer = await send("GET", url, undefined, signal);
  const reader = /** @type {any} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (waiting + value).split(/\r?\n\r?\n/);
    waiting = parts.pop() ?? "";
    for (const part of parts) {
      const data = part.split(/\r?\n/).filter((line) => line.startsWith("data:"));
      if (data.length) yield JSON.parse(data.map((line) => line.slice(5)).join("\n"));
    }
  }
}


/** Searches that are kept. @param {string} index */
export function searches(index) {
  const base = address("indexes", index, "searches");
  /** @param {string} name */
  const one = (name) => `${base}/${encodeURIComponent(name)}`;
  return {
    list: () => json("GET", base),
    /** @param {any} given */
    save: (given) => json("POST", base, given),
    /** What came since the last look. @param {string} name @param {number} limit */
    fresh: (name, limit) => json("GET", `${one(name)}/new?limit=${limit}`),
    /** For feed readers. @param {string} name */
    feed: (name) => `${one(name)}/feed`,
    /** @param {string} name */
    seen: (name) => json("POST", `${one(name)}/seen`),
    /** @param {string} name */
    remove: (name) => json("DELETE", one(name)),
  };
}

/** Which records papers are, by names or as documents. @param {string} index @param {any} given */
export const known = (index, given) => json("POST", address("indexes", index, "known"), given);

/** How many records have which label in them. @param {string} index */
export const labels = async (index) => (await json("GET", address("indexes", index, "labels"))).labels;

export { reviews, WHOLE } from "./reviewRoutes.js";
