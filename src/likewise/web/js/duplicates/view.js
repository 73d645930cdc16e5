// Records of the same paper, in groups: what they are, and why they are taken for one.

import * as api from "../api.js";
import { details } from "../details.js";
import { h, button, fill } from "../dom.js";
import { count as whole, counted, seconds } from "../format.js";
import { tellProblem } from "../notices.js";
import { duplicatesAddress, go } from "../router.js";
import { groupOf } from "./group.js";

const PAGE = 20; // groups
const MOST = 1000; // groups of an answer

/** How many groups the address asks for. */
function wanted() {
  const asked = Number(new URLSearchParams(location.search).get("shown"));
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, MOST) : PAGE;
}

/** @param {{ index: string }} place @param {any} info */
export function duplicatesView({ index }, info) {
  const running = new AbortController();
  const status = h("p", { class: "lead", role: "status" }, "Comparing records …");
  const list = h("ol", { class: "plain groups" });
  const more = button("Load more", () => void loadMore(), { class: "more", hidden: true });
  const title = `Duplicates in ${info?.title ?? index}`;
  const element = h("section", { class: "narrow duplicates", "aria-busy": "true" },
    h("h1", {}, title), status, list, more);
  const shown = () => list.children.length;

  /** @param {number} limit */
  async function load(limit) {
    element.setAttribute("aria-busy", "true");
    try {
      const found = await api.duplicates(index, { limit, offset: shown() }, running.signal, progress);
      list.append(...found.groups.map((group) => groupOf(index, group)));
      fill(status, ...summary(found));
      more.hidden = shown() >= found.count;
      if (!element.querySelector("details")) element.insertBefore(how(found), list);
    } catch (error) {
      if (running.signal.aborted) return;
      fill(status, error instanceof Error ? error.message : String(error));
      if (!(error instanceof api.Problem)) tellProblem(error);
    } finally {
      element.removeAttribute("aria-busy");
    }
  }

  /** @param {api.Job} job */
  const progress = (job) => fill(status, `Comparing records … ${seconds(job.seconds)}`);

  async function loadMore() {
    const first = shown();
    go(duplicatesAddress(index, Math.min(first + PAGE, MOST)), { replace: true, quiet: true });
    await load(PAGE);
    list.children[first]?.querySelector("a")?.focus();
  }

  void load(wanted());
  return { title, element, close: () => running.abort() };
}

/** @param {api.Duplicates} found */
function summary({ count, duplicates, documents }) {
  if (!count) return ["No two records look like records of one paper."];
  return [
    h("strong", {}, counted(count, "paper")),
    ` ${count === 1 ? "has" : "have"} several records: of ${counted(documents, "record")}, ${copies(duplicates)}. `,
    "Nothing is removed. A review shows each paper once, and what you judge of it holds for all its records.",
  ];
}

/** @param {number} number */
const copies = (number) => (number === 1 ? "one is a copy" : `${whole(number)} are copies`);

/** @param {api.Duplicates} found */
const how = ({ documents }) => details([
  ["Compared", counted(documents, "record")],
  ["By", "DOI and PMID; titles, authors, years and abstracts"],
  ["First", "the most complete record: with an abstract, then with most other fields"],
]);
