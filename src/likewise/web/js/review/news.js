// Records that came into a running review: how many, and a mark on each.

import { h, button, fill } from "../dom.js";
import { count, counted, moment } from "../format.js";
import { may } from "../me.js";
import { tellProblem } from "../notices.js";

/** @param {import("./view.js").Review} review @param {Element} body where records are shown */
export function newsLine(review, body) {
  /** @type {Set<string>} */
  let ids = new Set();
  const element = h("p", { class: "news", hidden: true });
  const watching = new MutationObserver(mark);
  watching.observe(body, { childList: true, subtree: true });
  void load(() => review.api.news());

  /** @param {() => Promise<any>} ask */
  async function load(ask) {
    try {
      const news = await ask();
      ids = new Set(news.ids);
      element.hidden = !news.new;
      fill(element,
        `${counted(news.new, "record")} came since ${moment(news.since)}, ${count(news.unjudged)} of them not judged yet. `,
        may("review") && button("Mark as seen", () => void load(() => review.api.seen()), { class: "link" }));
      mark();
    } catch (error) {
      tellProblem(error);
    }
  }

  function mark() {
    for (const card of body.querySelectorAll("[data-id]")) {
      const known = card.querySelector(".new-mark");
      const isNew = ids.has(/** @type {HTMLElement} */ (card).dataset.id ?? "");
      if (isNew && !known) card.querySelector("h2")?.append(" ", h("span", { class: "label new-mark" }, "new"));
      if (!isNew && known) known.remove();
    }
  }

  return { element, close: () => watching.disconnect() };
}
