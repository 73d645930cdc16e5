// The routes of reviews (docs/http.md#reviews).

import { address, json, send } from "./api.js";

/** Characters of a text that a page to judge shows at once: any abstract is shorter. */
export const WHOLE = 8000;
/** How much of each document of a page is told. */
const SHOWING = { explain: 12, snippet: WHOLE };

/**
 * One review's routes, or with "" those of all.
 * @param {string} index
 * @param {string} name
 * @param {() => string} reviewer who asks: what there is to see may depend on it
 */
export function reviews(index, name = "", reviewer = () => "") {
  const base = address("indexes", index, "sessions", ...(name ? [name] : []));
  /** @param {string} path @param {Record<string, any>} values */
  const at = (path, values = {}) => {
    const given = Object.entries(values).filter(([, value]) => value !== "" && value != null);
    const asked = new URLSearchParams(given).toString();
    return `${base}${path}${asked ? `?${asked}` : ""}`;
  };
  /** @param {string} path @param {Record<string, any>} [values] */
  const read = (path, values = {}) => json("GET", at(path, { reviewer: reviewer(), ...values }));
  return {
    list: async () => (await json("GET", base)).sessions,
    /** @param {any} given */
    create: (given) => json("POST", base, given),
    get: () => read(""),
    /** @param {any} given */
    change: (given) => json("PATCH", base, given),
    /** @param {string} to */
    rename: (to) => json("PATCH", base, { name: to }),
    /** @param {boolean} archived */
    archive: (archived) => json("PATCH", base, { archived }),
    remove: () => json("DELETE", base),
    /** The page to judge; the same one until all of it is judged. @param {string} reviewer */
    page: (reviewer) => json("GET", at("/page", { reviewer, ...SHOWING })),
    /** Another page, whatever was judged of this one. @param {any} wanted */
    next: (wanted) => json("POST", at("/page"), { ...SHOWING, ...wanted }),
    /** @param {any} given @param {boolean} [goesOn] whether the next page is wanted as well */
    judge: (given, goesOn = false) =>
      json("POST", at("/judgements"), { ...given, next: goesOn ? SHOWING : null }),
    /** A note or tags beside a document. @param {any} given */
    remark: (given) => json("POST", at("/remarks"), given),
    /** The PDFs of records. @param {string[]} ids @param {AbortSignal} [signal] */
    attachments: async (ids, signal) =>
      (await json("GET", `${base}/attachments?${new URLSearchParams(ids.map((id) => ["id", id]))}`, undefined, signal)).attachments,
    /** @param {Blob} pdf @param {{ file: string, id: string | null, reviewer?: string }} given @param {AbortSignal} signal */
    attach: (pdf, given, signal) => json("POST", at("/attachments", given), pdf, signal),
    /** @param {{ number: number | null, id: string }} one @param {AbortSignal} [signal] */
    pdf: async ({ number, id }, signal) =>
      (await send("GET", number === null ? at("/full-texts/indexed", { id }) : at(`/attachments/${number}`), undefined, signal)).arrayBuffer(),
    /** @param {number | null} number @param {string} reviewer */
    detach: (number, reviewer) => json("DELETE", at(`/attachments/${number}`, { reviewer })),
    /** Which records have no PDF, and how many were looked at. */
    missing: () => json("GET", at("/full-texts/missing")),
    protocol: () => json("GET", at("/protocol")),
    /** @param {any} given */
    setProtocol: (given) => json("PUT", at("/protocol"), given),
    /** @param {string} reviewer */
    preferences: (reviewer) => json("GET", at("/preferences", { reviewer })),
    /** @param {any} given */
    setPreferences: (given) => json("PUT", at("/preferences"), given),
    /** @param {"undo" | "redo"} step @param {any} given */
    step: (step, given) => json("POST", at(`/${step}`), given),
    /** @param {number} limit @param {number} offset */
    history: (limit, offset) => read("/history", { limit, offset }),
    stats: () => read("/stats"),
    /** Records that came into the review. */
    news: () => json("GET", at("/news")),
    seen: () => json("POST", at("/news")),
    /** @param {number} size of a random sample */
    prospect: (size) => read("/prospect", { size }),
    conflicts: () => read("/conflicts"),
    /** Judged records. @param {Record<string, any>} asked */
    judged: (asked) => read("/judged", asked),
    /** One record with its history. @param {string} id */
    record: (id) => read(`/judged/${encodeURIComponent(id)}`),
    /** @param {any} given */
    decide: (given) => json("POST", at("/decisions"), given),
    team: () => read("/team"),
    /** @param {any} given */
    setTeam: (given) => json("PATCH", at("/team"), given),
    /** @param {any} given */
    assign: (given) => json("POST", at("/assignments"), given),
    unassign: () => json("DELETE", at("/assignments")),
    /** A part of the report. @param {string} path @param {string[]} sources how many records each database gave */
    report: (path, sources) => send("GET", `${base}/report${path}?${new URLSearchParams([...sources.map((one) => ["source", one]), ...(reviewer() ? [["reviewer", reviewer()]] : [])])}`),
    /** @param {string} format @param {string} records judged, relevant or all */
    export: async (format, records) => (await send("GET", at("/export", { reviewer: reviewer(), format, records }))).blob(),
  };
}
