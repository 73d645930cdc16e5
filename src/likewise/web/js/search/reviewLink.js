// From a search to a review that begins with the same words and examples.

import { button } from "../dom.js";
import { go, reviewAddress } from "../router.js";
import * as store from "../store.js";
import { examplesOf } from "./asked.js";

export const KEY = "review-start";

/** @param {string} index @param {import("./asked.js").Asked} asked */
export function reviewLink(index, asked) {
  const begin = () => {
    const { positive, negative } = examplesOf({ ...asked, words: "" });
    store.session.set(KEY, JSON.stringify({ index, words: asked.words, positive, negative }));
    go(reviewAddress(index));
  };
  return button("Review with these …", begin, { class: "small" });
}
