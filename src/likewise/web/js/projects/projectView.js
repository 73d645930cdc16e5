// A project: its records, its reviews with how far they are, and what can be done with all of it.

import * as api from "../api.js";
import { h, button, fill } from "../dom.js";
import { count, counted, moment } from "../format.js";
import { may } from "../me.js";
import { fieldName } from "../meta.js";
import { tellProblem } from "../notices.js";
import { filesAddress, reviewAddress, searchAddress } from "../router.js";
import { download } from "./download.js";
import { managing } from "./managing.js";
import { reviewsOf } from "./reviews.js";
import * as server from "./server.js";
import { usualFirst, worded } from "./words.js";

const FEW = 6; // fields that are shown at once

/** @param {{ index: string }} place @param {any} info */
export function projectView({ index }, info) {
  const about = h("p", { class: "muted" }, counted(info.documents, "record"));
  const heading = h("h1", {}, info.title);
  const actions = h("div", { class: "row" },
    h("a", { class: "button primary", href: searchAddress(index) }, "Search"),
    may("review") && h("a", { class: "button", href: reviewAddress(index) }, "New review"));
  const reviews = reviewsOf(index);
  const fields = h("div", { class: "stack" });
  const end = h("div", { class: "stack" });
  const element = h("div", { class: "narrow project" },
    h("header", { class: "stack" }, heading, about, actions),
    h("section", { class: "stack", "aria-labelledby": "reviews-title" }, h("h2", { id: "reviews-title" }, "Reviews"), reviews.element),
    fields, end);

  Promise.all([server.project(index), server.about()]).then(([found, { creates }]) => {
    heading.textContent = found.title;
    about.textContent = facts(found);
    if (creates && may("write")) actions.append(h("a", { class: "button", href: filesAddress("", index) }, "Add files"));
    if (may("owner")) actions.append(button("Download everything", () => void download(index).catch(tellProblem)));
    if (may("owner")) fill(end, managing(found));
  }).catch(tellProblem);
  api.fields(index).then((found) => found.length && fill(fields, listed(found, info.documents))).catch(tellProblem);
  return { title: info.title, element, close: reviews.close };
}

/** @param {server.Project} found */
const facts = ({ documents, changed, last, is_archived: archived }) => [
  archived && "archived",
  counted(documents, "record"),
  changed && `changed ${moment(changed)}`,
  last && `reviewed ${moment(last)}`,
].filter(Boolean).join(" · ");

/** @param {any[]} found @param {number} documents */
function listed(found, documents) {
  const ordered = usualFirst(found);
  const others = ordered.slice(FEW);
  return h("section", { class: "stack", "aria-labelledby": "fields-title" },
    h("h2", { id: "fields-title" }, "Fields"), table(ordered.slice(0, FEW), documents),
    others.length > 0 && h("details", { class: "details" }, h("summary", {}, counted(others.length, "more field")), table(others, documents)));
}

/** @param {any[]} found @param {number} documents */
const table = (found, documents) => h("table", { class: "figures" },
  h("thead", {}, h("tr", {}, ...["Field", "Records", "Values"].map((name) => h("th", { scope: "col" }, name)))),
  h("tbody", {}, ...found.map((one) => h("tr", {}, h("th", { scope: "row" }, fieldName(one.name, one.label)),
    h("td", { class: "number" }, one.documents === documents ? "all" : count(one.documents)),
    h("td", {}, h("div", { class: "example" }, values(one)))))));

/** @param {any} field */
function values({ name, kind, distinct, least, most, values: frequent }) {
  if (kind === "number" && least !== most) return `${least} to ${most}`;
  const first = frequent.slice(0, 3).map((/** @type {any} */ one) => worded(name, String(one.value))).join(", ");
  return distinct > 3 ? `${first} and ${count(distinct - 3)} others` : first;
}
