// The first page: make a project of files, or go on with one; and what to say where there is nothing.

import { h, fill } from "./dom.js";
import { count, counted, moment } from "./format.js";
import { may } from "./me.js";
import { dropZone } from "./projects/dropZone.js";
import { about, projects, uploads } from "./projects/server.js";
import { tellProblem } from "./notices.js";
import { filesAddress, projectAddress } from "./router.js";

const LOOK = 1500; // milliseconds

/** @param {any} _place @param {any} _info @param {any[]} indexes */
export function homeView(_place, _info, indexes) {
  const making = h("div", { class: "stack" });
  const list = h("div", { class: "stack" }, listed(indexes.filter((one) => !one.is_archived)));
  const element = h("section", { class: "narrow home" },
    h("h1", {}, "Show it documents; it finds the rest."), making, list);
  /** @type {ReturnType<typeof dropZone> | null} */
  let zone = null;
  let ended = false;
  about().then(({ creates }) => {
    if (ended) return;
    if (creates && may("write")) {
      zone = dropZone();
      making.before(h("p", { class: "lead" }, "Begin with your records: search them by example, or screen them with others."), zone.element);
    }
    return refresh(creates && may("write"));
  }).catch(tellProblem);

  /** Look again while something is being made. @param {boolean} creates */
  async function refresh(creates) {
    const sent = creates ? await uploads() : []; // before the projects: what is made meanwhile is there
    const { projects: found, archived } = await projects();
    if (ended) return;
    fill(making, ...waiting(sent), !creates && !found.length &&
      h("p", { class: "lead" }, "No index is served: name one, as in likewise serve papers.idx."));
    fill(list, listed(found), archived > 0 && before(archived));
    if (sent.some(({ state }) => state === "making")) setTimeout(() => ended || refresh(creates).catch(tellProblem), LOOK);
  }

  return {
    title: "Projects",
    element,
    close() {
      ended = true;
      zone?.close();
    },
  };
}

/** Files that wait, and indexes that are being made. @param {import("./projects/server.js").Upload[]} found */
function waiting(found) {
  return found.map((one) => h("a", { class: "choice", href: filesAddress(one.id) },
    h("strong", {}, one.state === "making" ? `${one.index} is being made` : one.count === 1 ? one.first : counted(one.count, "file")),
    h("span", { class: "muted" }, one.state === "making" ? "See how far it is" : "Go on")));
}

/** Those that are archived, when they are asked for. @param {number} number */
function before(number) {
  const element = h("details", { class: "details archived" }, h("summary", {}, `Archived (${count(number)})`));
  element.addEventListener("toggle", () => projects(true).then(({ projects: all }) => {
    const list = listed(all.filter((one) => one.is_archived));
    if (list) fill(element, element.firstElementChild, list);
  }, tellProblem), { once: true });
  return element;
}

/** @param {any[]} found */
function listed(found) {
  return found.length > 0 && h("ul", { class: "plain choices" }, ...found.map((one) => {
    const used = [one.changed, one.last].filter(Boolean).sort().at(-1);
    const facts = [counted(one.documents, "record"), one.reviews && counted(one.reviews, "review"), used && moment(used)];
    return h("li", {}, h("a", { href: projectAddress(one.name), class: "choice" },
      h("strong", {}, one.title ?? one.name),
      h("span", { class: "muted" }, facts.filter(Boolean).join(" · "))));
  }));
}

export function nowhereView() {
  const element = h("section", { class: "empty" },
    h("h1", {}, "There is nothing at this address"),
    h("p", {}, "The index may be called something else now, or not be served any more. ",
      h("a", { href: "/" }, "See what there is.")));
  return { title: "Nothing here", element };
}
