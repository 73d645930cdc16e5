// The team: how far each reviewer has come, who sees whose judgements, who decides, who is shown what.

import { h, fill } from "../dom.js";
import { count, counted } from "../format.js";
import { tell, tellProblem } from "../notices.js";
import { agreementTable } from "./conflicts.js";
import { judgedTotal, tally } from "./tally.js";

/** @typedef {import("./view.js").Review} Review */

const WORK = /** @type {Record<string, string>} */ ({
  all: "Everybody judges every record.",
  shared: "Reviewers share one queue: a record goes to as many of them as must agree, to one at a time.",
  assigned: "Each reviewer is shown the records that are assigned to them.",
});

/** One line below the name of a review: whether it is blinded, and one's own part. @param {Review} review */
export function blindingNote(review) {
  const element = h("p", { class: "muted about blinding", hidden: true });
  const refresh = () => review.api.team().then((team) => {
    review.offer(team);
    element.textContent = [outside(team, review.me(team)), mine(team, review.me(team)), seeing(team)].filter(Boolean).join(" ");
    element.hidden = !element.textContent;
  }, () => {
    element.hidden = true;
  });
  return { element, refresh };
}

/** Whoever opens a review may judge in it; that one should be somebody else is easily forgotten.
 * @param {any} team @param {string} who */
function outside({ reviewers, decider }, who) {
  if (!reviewers.length || reviewers.includes(who) || who === decider) return "";
  return `You are ${who}, not one of the reviewers: to judge as one of them, choose a name above.`;
}

/** @param {any} team @param {string} who */
function mine({ shares }, who) {
  const own = shares.find((/** @type {any} */ one) => one.reviewer === who);
  if (!own || shares.length < 2) return "";
  return `You have judged ${count(own.judged)}${own.documents === null ? "" : ` of ${count(own.documents)}`}.`;
}

/** @param {any} team */
function seeing({ blinded, blind, shares, reviewers }) {
  if (blinded && blind) return "Blinded: what others say is hidden until all have judged a record, and the order is learned from your own judgements.";
  if (blinded) return "Blinded for its reviewers; you see all judgements.";
  return Math.max(shares.length, reviewers.length) > 1
    ? "Not blinded: reviewers can see each other’s judgements, and the order is learned from all of them." : "";
}

/** @param {Review} review */
export function teamPart(review) {
  const element = h("section", { class: "stack large", "aria-label": "Team", "aria-busy": "true" });
  const load = () => Promise.all([review.api.team(), review.api.get()]).then(
    ([team, info]) => fill(element, ...parts(review, team, info, load)),
    (error) => fill(element, h("p", { class: "bad" }, error.message)),
  ).finally(() => element.removeAttribute("aria-busy"));
  void load();
  return { element };
}

/** @param {Review} review @param {any} team @param {any} info @param {() => void} reload */
function parts(review, team, info, reload) {
  return [
    h("p", {}, team.shares.length < 2 && "One reviewer so far. Name others below, to work together. ", WORK[team.work], " ", team.agree > 1 && `${counted(team.agree, "reviewer")} must say the same. `,
      team.decider && `${team.decider} decides where they differ.`),
    team.shares.length > 0 && shares(team.shares),
    ...(team.agreement.length ? [h("h2", {}, "Agreement"), agreementTable(team.agreement, team.alpha)] : []),
    info.yours && settings(review, team, info, reload),
  ];
}

/** @param {any[]} all */
function shares(all) {
  return h("ul", { class: "plain shares" }, ...all.map((one) => {
    const known = one.relevant !== null;
    const judged = { relevant: one.relevant ?? 0, others: one.others ?? 0, undecided: one.undecided ?? 0 };
    const of = one.documents === null ? "" : ` of ${count(one.documents)}`;
    return h("li", {}, h("p", { class: "row between" }, h("strong", {}, one.reviewer), h("span", {}, `${count(one.judged)}${of} judged`)),
      known && judgedTotal(judged) > 0 && tally(judged, one.documents ?? 0),
      h("p", { class: "muted" }, known
        ? `${count(judged.relevant)} relevant, ${count(judged.others)} not, ${count(judged.undecided)} unsure`
        : "what they say is hidden from you"));
  }));
}

/** @param {Review} review @param {any} team @param {any} info @param {() => void} reload */
function settings(review, team, info, reload) {
  const names = h("input", { id: "team-reviewers", autocomplete: "off", placeholder: "ada, ben" });
  names.value = team.reviewers.join(", ");
  const agree = h("input", { id: "team-agree", type: "number", min: 1, max: 100 });
  agree.value = team.agree;
  const blinded = h("input", { id: "team-blinded", type: "checkbox" });
  blinded.checked = team.blinded;
  const decider = h("input", { id: "team-adjudicator", autocomplete: "off", placeholder: info.owner || "the owner" });
  decider.value = team.adjudicator;
  const work = h("select", { id: "team-work" },
    ...[["all", "Everybody judges every record"], ["shared", "A shared queue"], ["assigned", "Records are assigned"]]
      .map(([value, text]) => h("option", { value, selected: value === team.work }, text)));
  const each = h("input", { id: "team-each", type: "number", min: 1, max: 100 });
  each.value = team.agree;
  const eachField = field("Reviewers for each record", each);
  const toggle = () => {
    eachField.hidden = work.value !== "assigned";
  };
  work.addEventListener("change", toggle);
  toggle();

  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const reviewers = names.value.split(/[,;]/).map((/** @type {string} */ one) => one.trim()).filter(Boolean);
    try {
      await review.api.setTeam({
        reviewers, agree: Number(agree.value), blinded: blinded.checked, adjudicator: decider.value.trim(),
      });
      await share(work.value, Number(each.value));
      tell("The team is saved.");
      review.changed();
      reload();
    } catch (error) {
      tellProblem(error);
    }
  };

  /** @param {string} how @param {number} perRecord */
  async function share(how, perRecord) {
    if (how === "assigned") await review.api.assign({ per_record: perRecord });
    else if (team.work === "assigned") await review.api.unassign();
    if (how !== "assigned" && info.overlap !== (how === "all")) await review.api.change({ overlap: how === "all" });
  }

  return h("details", { class: "panel team-settings", open: team.shares.length < 2 },
    h("summary", {}, h("h2", {}, "Change the team")),
    h("form", { class: "panel-body", on: { submit: save } },
      field("Reviewers, with commas between them", names), field("How many must agree", agree),
      h("p", { class: "check" }, blinded, h("label", { for: "team-blinded" }, "Blinded: hide judgements until all have judged a record")),
      field("Who decides conflicts", decider), field("Who is shown what", work), eachField,
      h("div", { class: "row" }, h("button", { class: "primary" }, "Save"))));
}

/** @param {string} label @param {Element} control */
const field = (label, control) => h("div", { class: "labelled" }, h("label", { for: control.id }, label), control);
