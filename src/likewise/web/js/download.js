// A file that was fetched, for the reader to keep: by fetch, since a link cannot send a token.

import { h } from "./dom.js";

/** @param {Blob} content @param {string} name */
export function download(content, name) {
  const address = URL.createObjectURL(content);
  const link = h("a", { href: address, download: name.replace(/[^\p{L}\p{N}._ -]+/gu, "-") });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
