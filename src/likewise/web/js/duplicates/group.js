// One paper's records: the most complete one first, below it what was found to be the same.

import { h } from "../dom.js";
import { percent, sentence } from "../format.js";
import { metaLine } from "../meta.js";
import { documentAddress } from "../router.js";
import * as titles from "../titles.js";

/** @typedef {import("../api.js").DuplicateRecord} DuplicateRecord */

/** @param {string} index @param {{ members: DuplicateRecord[] }} group */
export function groupOf(index, { members }) {
  const [first, ...others] = members;
  return h("li", { class: "group" },
    h("article", {},
      h("h2", {}, link(index, first)), metaLine(first.id, first.fields),
      h("ul", { class: "plain others" }, ...others.map((one) =>
        h("li", {},
          h("p", { class: "record" }, link(index, one)), metaLine(one.id, one.fields),
          h("p", { class: "reason" }, why(one)))))));
}

/** @param {DuplicateRecord} record */
function why({ reason, similarity }) {
  const share = percent(similarity);
  return sentence(similarity < 1 && share !== percent(1) ? `${reason} (${share} alike)` : reason);
}

/** @param {string} index @param {DuplicateRecord} record */
function link(index, { id, title }) {
  titles.learn(index, id, title || id);
  return h("a", { href: documentAddress(index, id) }, title || id);
}
