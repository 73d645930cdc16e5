// What an owner does with a project as a whole: call it otherwise, archive it, delete it.

import { h, button } from "../dom.js";
import { me } from "../me.js";
import { tell, tellProblem } from "../notices.js";
import { go, projectAddress } from "../router.js";
import { confirmByName } from "./confirm.js";
import * as server from "./server.js";

/** @param {server.Project} found */
export function managing(found) {
  return h("details", { class: "manage" }, h("summary", {}, "Rename, archive or delete this project"),
    h("div", { class: "row" }, renaming(found), archiving(found), found.made_here && deleting(found),
      me().tokens && h("span", { class: "muted" }, "For owners only.")));
}

/** @param {server.Project} found */
function renaming(found) {
  const input = h("input", { "aria-label": "New name of the project", required: true, maxlength: 200 });
  input.value = found.title;
  const rename = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      Object.assign(found, await server.changeProject(found.name, { title: input.value.trim() }));
    } catch (error) {
      tellProblem(error);
      return;
    }
    server.indexesChanged();
    go(projectAddress(found.name), { replace: true }); // all of it anew: the bar has the name as well
    tell(`It is called “${found.title}” now.`);
  };
  return h("form", { class: "row", on: { submit: rename } }, input, h("button", { class: "small" }, "Rename"));
}

/** @param {server.Project} found */
function archiving(found) {
  const turn = async () => {
    try {
      await server.changeProject(found.name, { archived: !found.is_archived });
    } catch (error) {
      tellProblem(error);
      return;
    }
    server.indexesChanged();
    go(found.is_archived ? projectAddress(found.name) : "/", { replace: found.is_archived });
    tell(found.is_archived ? "It is back in the list." : `“${found.title}” is archived: the first page has it behind “Archived”.`);
  };
  return button(found.is_archived ? "Take out of the archive" : "Archive", turn, { class: "small" });
}

/** @param {server.Project} found */
function deleting(found) {
  const ask = async () => {
    const sure = await confirmByName(found.title, `Delete “${found.title}”?`,
      "Its records, all its reviews and every judgement in them are deleted, for everybody. Download everything first if in doubt.");
    if (!sure) return;
    try {
      await server.removeProject(found.name);
    } catch (error) {
      tellProblem(error);
      return;
    }
    server.indexesChanged();
    go("/");
    tell(`“${found.title}” is deleted.`);
  };
  return button("Delete …", ask, { class: "small danger" });
}
