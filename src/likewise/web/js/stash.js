// Typed, pasted and dropped examples: kept in the tab's storage, named in the address by a key.

import * as store from "./store.js";

/** @typedef {{ title: string, text: string }} Typed */

const PREFIX = "example:";
/** What did not fit into storage lives as long as the page. @type {Map<string, Typed>} */
const here = new Map();

/** @param {Typed} typed @returns {string} the key; the same text has the same one */
export function put(typed) {
  const key = hash(`${typed.title}\n${typed.text}`);
  here.set(key, typed);
  store.session.set(PREFIX + key, JSON.stringify(typed));
  return key;
}

/** @param {string} key @returns {Typed | null} */
export function get(key) {
  const found = here.get(key);
  if (found) return found;
  const kept = store.session.get(PREFIX + key);
  return kept === null ? null : JSON.parse(kept);
}

/** FNV-1a, 53 bits of it: short enough for an address. @param {string} text */
function hash(text) {
  let low = 0x811c9dc5;
  let high = 0x2545f491;
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return ((high & 0x1fffff) * 0x100000000 + (low >>> 0)).toString(36);
}
