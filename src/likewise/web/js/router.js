// Addresses. Everything that is looked at has one, so that back, reload and a bookmark work.
//
//   /                                  the projects
//   /new/ID                            files that were sent: a look at them, then an index
//   /in/papers/project                 an index: its documents and reviews
//   /in/papers/add[/ID]                files for it
//   /in/papers?q=…&like=…&unlike=…     a search
//   /in/papers/documents/ID            a document
//   /in/papers/duplicates[?shown=40]   records of the same paper
//   /in/papers/reviews                 the reviews of an index
//   /in/papers/reviews/NAME[/PART]     a review: judge, judged, progress, conflicts, team, history, export
//   /in/papers/reviews/NAME/judged/ID  a record within a review

/** @typedef {{ place: "home" } | { place: "search" | "reviews" | "duplicates" | "project", index: string }
 *   | { place: "files", index?: string, id: string }
 *   | { place: "document", index: string, id: string }
 *   | { place: "review", index: string, name: string, part: string, record: string }
 *   | { place: "nowhere" }} Place */

export const PARTS = ["judge", "judged", "progress", "conflicts", "team", "history", "export"];

const encoded = encodeURIComponent;

/** @param {string} index @param {URLSearchParams} [asked] */
export function searchAddress(index, asked) {
  const text = asked?.toString();
  return `/in/${encoded(index)}${text ? `?${text}` : ""}`;
}

/** @param {string} index @param {string} id */
export const documentAddress = (index, id) => `/in/${encoded(index)}/documents/${encoded(id)}`;

/** @param {string} index @param {number} [shown] groups, if not the first few */
export const duplicatesAddress = (index, shown) =>
  `/in/${encoded(index)}/duplicates${shown ? `?shown=${shown}` : ""}`;

/** @param {string} index @param {string} [name] @param {string} [part] */
export function reviewAddress(index, name, part) {
  const base = `/in/${encoded(index)}/reviews`;
  if (!name) return base;
  return part && part !== PARTS[0] ? `${base}/${encoded(name)}/${part}` : `${base}/${encoded(name)}`;
}

/** A record within a review. @param {string} index @param {string} name @param {string} id */
export const recordAddress = (index, name, id) => `${reviewAddress(index, name, "judged")}/${encoded(id)}`;

/** @param {string} index */
export const projectAddress = (index) => `/in/${encoded(index)}/project`;

/** Where files go on: into a new index, or with a name into that one. @param {string} id @param {string} [index] */
export const filesAddress = (id, index) =>
  index ? `/in/${encoded(index)}/add${id && `/${encoded(id)}`}` : `/new/${encoded(id)}`;

/** @param {string} path @returns {Place} */
export function placeOf(path) {
  /** @type {string[]} */
  let parts;
  try {
    parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return { place: "nowhere" };
  }
  if (!parts.length) return { place: "home" };
  const [way, index, kind, name, part = PARTS[0], record = ""] = parts;
  if (way === "new" && parts.length === 2) return { place: "files", id: index };
  if (way !== "in" || !index || parts.length > (part === "judged" ? 6 : 5)) return { place: "nowhere" };
  if (!kind) return { place: "search", index };
  if (kind === "project" && !name) return { place: "project", index };
  if (kind === "add" && parts.length < 5) return { place: "files", index, id: name ?? "" };
  if (kind === "documents" && name && parts.length === 4) return { place: "document", index, id: name };
  if (kind === "duplicates" && !name) return { place: "duplicates", index };
  if (kind === "reviews" && !name) return { place: "reviews", index };
  if (kind === "reviews" && PARTS.includes(part)) return { place: "review", index, name, part, record };
  return { place: "nowhere" };
}

/** @type {() => void} */
let show = () => {};

/** @param {() => void} render called whenever the address has changed */
export function start(render) {
  show = render;
  window.addEventListener("popstate", render);
  document.addEventListener("click", follow);
  render();
}

/**
 * @param {string} address
 * @param {{ replace?: boolean, quiet?: boolean }} [how] quiet: the caller shows it itself
 */
export function go(address, { replace = false, quiet = false } = {}) {
  const now = location.pathname + location.search;
  if (replace || address === now) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  if (!quiet) show();
}

/** Links within the page, unless they are to open elsewhere. @param {MouseEvent} event */
function follow(event) {
  const link = /** @type {Element} */ (event.target).closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname !== "/" && !/^\/(in|new)\//.test(link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search);
}
