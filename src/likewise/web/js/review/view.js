// A review: its name and parts on top, the part chosen below, how far it is beside it.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { may } from "../me.js";
import { tellProblem } from "../notices.js";
import { PARTS, reviewAddress } from "../router.js";
import { aboutPanel } from "./about.js";
import { conflictsPart } from "./conflicts.js";
import { exportPart } from "./export.js";
import { header } from "./header.js";
import { highlightsPanel } from "./highlights.js";
import { historyPart } from "./history.js";
import { judgePart } from "./judging.js";
import { judgedPart } from "./judged.js";
import { keysPanel } from "./keys.js";
import { newsLine } from "./news.js";
import { preferences } from "./preferences.js";
import { progressPanel, progressPart } from "./progress.js";
import { reviewerName } from "./reviewer.js";
import { blindingNote, teamPart } from "./team.js";

/** @typedef {{ index: string, name: string, api: ReturnType<typeof api.reviews>,
 *   reviewer: () => string, me: (team: any) => string, offer: (team: any) => void, changed: () => void, preferences: ReturnType<typeof preferences>,
 *   protocol: () => import("./about.js").Protocol, highlight: () => void }} Review */
/** @typedef {{ element: Element, refresh?: () => void, close?: () => void, keys?: import("./keys.js").Actions }} Part */

/** @type {Record<string, (review: Review, record: string) => Part>} */
const MAKE = {
  judge: judgePart,
  judged: judgedPart,
  progress: progressPart,
  conflicts: conflictsPart,
  team: teamPart,
  history: historyPart,
  export: exportPart,
};
const NAMES = {
  judge: "Judge", judged: "Judged", progress: "Progress", conflicts: "Conflicts", team: "Team", history: "History", export: "Export",
};

/** On a phone these are behind “More”, unless one of them is shown. */
const LATER = ["conflicts", "team", "history", "export"];

/** @param {{ index: string, name: string, part: string, record: string }} place */
export function reviewView({ index, name, part, record }) {
  const reviewer = reviewerName(() => {
    void review.preferences.load();
    show(current);
  });
  /** @type {Review} */
  const review = Object.assign(/** @type {any} */ ({
    index, name, api: api.reviews(index, name, reviewer.get), reviewer: reviewer.get, me: reviewer.me, offer: reviewer.offer, changed, protocol: () => about.protocol(),
    highlight: () => highlights.focus(),
  }));
  review.preferences = preferences(review);
  const progress = progressPanel(review);
  const about = aboutPanel(review, () => {});
  const highlights = highlightsPanel(review.preferences);
  const keys = keysPanel(review.preferences, () => shown?.keys ?? {});
  const top = header(review, reviewer.element);
  const blinding = blindingNote(review);
  const tabs = h("nav", { class: "tabs", "aria-label": "Parts of the review" });
  const others = button("More", () => unfold(!tabs.classList.contains("all")), { class: "link", "aria-expanded": "false" });
  const body = h("div", { class: "found" });
  const news = newsLine(review, body);
  const element = h("div", { class: "columns" },
    h("div", { class: "top" }, top.element, blinding.element, news.element, tabs),
    h("aside", { class: "side", "aria-label": "Progress" }, progress.line, progress.element, about.element, highlights.element,
      keys.element), body);
  let current = part;
  let open = record;
  /** @type {Part | null} */
  let shown = null;

  /** @param {boolean} all whether every part is listed, on a phone */
  function unfold(all) {
    tabs.classList.toggle("all", all);
    others.setAttribute("aria-expanded", String(all));
    others.textContent = all ? "Less" : "More";
  }

  function changed() {
    progress.refresh();
    void blinding.refresh();
  }

  /** @param {string} asked */
  function show(asked) {
    const parts = PARTS.filter((one) => one !== "judge" || may("review"));
    const which = parts.find((one) => one === asked) ?? parts[0];
    current = asked;
    shown?.close?.();
    fill(tabs, ...parts.map((one) => h("a", {
      href: reviewAddress(index, name, one), "aria-current": one === which && "page", class: LATER.includes(one) && "later",
    }, NAMES[/** @type {keyof typeof NAMES} */ (one)])), others);
    unfold(false);
    shown = MAKE[which](review, open);
    fill(body, shown.element);
    keys.element.hidden = !shown.keys;
    highlights.element.hidden = which !== "judge";
    progress.line.hidden = progress.element.hidden = which === "progress"; // it is all there
    keys.show();
    changed();
  }

  show(part);
  if (may("review")) void review.preferences.load();
  review.api.get().then(({ yours }) => about.load(yours)).catch(tellProblem);
  return {
    title: name,
    element,
    /** @param {{ part: string, record: string }} to */
    update(to) {
      if (to.part === current && to.record === open) return;
      open = to.record;
      show(to.part);
    },
    close() {
      shown?.close?.();
      news.close();
      keys.close();
    },
  };
}
