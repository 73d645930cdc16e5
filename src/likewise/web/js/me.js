// Who is asking, as the server knows: the name of the token, and what it may do.

import * as api from "./api.js";

/** @typedef {"read" | "review" | "write" | "owner"} Role */
/** @typedef {{ name: string, roles: Role[], tokens: boolean }} Me */

/** @type {Me} */
let known = { name: "", roles: [], tokens: false };

/** Ask the server; before anything else is drawn, and when the token has changed. */
export async function load() {
  known = await api.me();
}

export const me = () => known;

/** @param {Role} role */
export const may = (role) => known.roles.includes(role);

/** In words, for the bar; nothing where nobody needs a token. */
export function inWords() {
  if (!known.tokens) return "";
  const most = known.roles.includes("owner") ? ["owner"] : known.roles.filter((role) => role !== "read");
  return [known.name, most.join(", ") || "read only"].filter(Boolean).join(" · ");
}
