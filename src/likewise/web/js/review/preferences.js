// A reviewer's own keys and words to highlight, as the server keeps them.

import { tellProblem } from "../notices.js";
import { asReviewer } from "./reviewer.js";

/** @typedef {{ action: string, key: string, usual: string, says: string }} Key */
/** @typedef {import("../why/marks.js").Own} Own */

/** @param {import("./view.js").Review} review */
export function preferences(review) {
  /** @type {{ keys: Key[], highlights: Own[], colours: string[] }} */
  let known = { keys: [], highlights: [], colours: [] };
  /** @type {(() => void)[]} */
  const listeners = [];
  /** @param {Promise<any>} asked */
  const take = async (asked) => {
    known = await asked;
    listeners.forEach((tell) => tell());
  };
  return {
    keys: () => known.keys,
    highlights: () => known.highlights,
    colours: () => known.colours,
    /** @param {() => void} tell called when something of it has changed */
    listen: (tell) => void listeners.push(tell),
    load: () => take(review.api.preferences(review.reviewer())).catch(tellProblem),
    /** @param {{ keys?: Record<string, string>, highlights?: Own[] }} given */
    set: (given) => take(review.api.setPreferences({ ...given, ...asReviewer(review.reviewer()) })),
  };
}
