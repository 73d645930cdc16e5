// All of a project as one file: the browser's own download, or where a token is needed by way of memory.

import { address, send } from "../api.js";
import { h } from "../dom.js";
import { me } from "../me.js";

/** @param {string} index */
export async function download(index) {
  const url = `${address("indexes", index)}/backup`;
  if (!me().tokens) return follow(url, "");
  const content = await (await send("GET", url)).blob();
  const place = URL.createObjectURL(content);
  follow(place, `${index}.likewise.zip`);
  setTimeout(() => URL.revokeObjectURL(place), 60_000);
}

/** @param {string} url @param {string} name */
function follow(url, name) {
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
