// Titles of documents that are known by their ids alone.

import * as api from "./api.js";

/** @type {Map<string, Promise<string>>} */
const titles = new Map();
const key = (/** @type {string} */ index, /** @type {string} */ id) => JSON.stringify([index, id]);

/** @param {string} index @param {string} id @param {string} title */
export const learn = (index, id, title) => void titles.set(key(index, id), Promise.resolve(title));

/** @param {string} index @param {string} id @returns {Promise<string>} */
export function titleOf(index, id) {
  const known = titles.get(key(index, id));
  if (known) return known;
  const asked = api.document_(index, id).then(({ title }) => title || id, () => `${id} (not in the index)`);
  titles.set(key(index, id), asked);
  return asked;
}

/** Fill in a title when it is known. @param {Element} place @param {string} index @param {string} id */
export function showTitle(place, index, id) {
  place.textContent = id;
  void titleOf(index, id).then((title) => {
    place.textContent = title;
  });
}
