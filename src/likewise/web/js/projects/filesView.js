// Files that were sent: what is in them, a name, and the index that is made of them.
//
// All of it is kept by the server: a reload finds it again, whether it is looked at or being made.

import { Problem } from "../api.js";
import { h, button, fill } from "../dom.js";
import { counted, size } from "../format.js";
import { tell } from "../notices.js";
import { go, projectAddress } from "../router.js";
import { bar } from "./bar.js";
import { dropZone } from "./dropZone.js";
import { form } from "./makeForm.js";
import { previewOf } from "./preview.js";
import * as server from "./server.js";

/** @typedef {import("./server.js").Upload} Upload */

/** @param {{ index?: string, id: string }} place @param {any} info */
export function filesView({ index, id }, info) {
  const name = info?.title ?? index;
  const title = index ? `Add files to ${name}` : "A new project";
  const element = h("div", { class: "narrow files" });
  const ended = new AbortController();
  /** @type {(() => void) | null} */
  let close = null;
  if (!id) {
    const zone = dropZone(index);
    close = zone.close;
    fill(element, h("h1", {}, title), zone.element);
  } else {
    server.upload(id).then(show).catch(gone);
  }

  /** @param {Upload} upload */
  async function show(upload) {
    if (ended.signal.aborted) return;
    if (upload.state === "sending") {
      await server.dropUpload(id);
      gone(new Problem("The upload was interrupted before all of it was there. Choose the files again."));
    } else if (upload.state === "done") {
      arrive(/** @type {string} */ (upload.index));
    } else if (upload.state === "making" && upload.job) {
      await watch(await server.job(upload.job), upload);
    } else {
      offer(upload);
    }
  }

  /** The files as they are, and what can be made of them. @param {Upload} upload @param {string} [problem] */
  function offer(upload, problem = "") {
    const looking = previewOf(id, index, ended.signal);
    const making = form(upload, index, async (given) => {
      const begun = index ? await server.addFiles(index, given) : await server.makeIndex(given);
      looking.close();
      await watch(begun, upload);
    }, looking.show);
    making.say(problem);
    fill(element, h("h1", {}, title), h("p", { class: "muted" }, what(upload)), making.element, looking.element,
      h("p", {}, button("Throw these files away", leave, { class: "link" })));
  }

  async function leave() {
    await server.dropUpload(id);
    go(index ? projectAddress(index) : "/");
  }

  /** Until it is made. @param {import("./server.js").Job} begun @param {Upload} upload */
  async function watch(begun, upload) {
    const shown = bar();
    const stop = begun.id && button("Cancel", () => void server.cancelJob(begun.id), { class: "small" });
    fill(element, h("h1", {}, index ? `Adding to ${name}` : `Making ${upload.index ?? "the index"}`),
      h("div", { class: "panel making stack" }, shown.element,
        h("p", { class: "muted" }, "You can leave this page or close the browser: the work goes on, and is listed on the first page."),
        h("div", { class: "row" }, stop)));
    try {
      const made = await server.finished(begun, ended.signal, shown.show);
      if (made === null) return offer(await server.upload(id));
      arrive(made.index ?? index ?? upload.index, made.added ?? made);
    } catch (error) {
      if (ended.signal.aborted) return;
      server.upload(id).then((now) => offer(now, /** @type {Error} */ (error).message), () => gone(error));
    }
  }

  /** @param {string} name @param {any} [added] */
  function arrive(name, added) {
    if (ended.signal.aborted) return;
    server.indexesChanged();
    go(projectAddress(name), { replace: true });
    if (added) tell(said(added));
  }

  /** @param {unknown} error */
  function gone(error) {
    if (ended.signal.aborted) return;
    const message = error instanceof Problem && error.status === 404
      ? "These files are not here any more: they are kept for a while, and until the server is stopped."
      : error instanceof Error ? error.message : String(error);
    fill(element, h("section", { class: "empty" }, h("h1", {}, "Nothing was made"), h("p", {}, message),
      h("p", {}, h("a", { class: "button", href: index ? projectAddress(index) : "/" }, "Go back"))));
  }

  return {
    title,
    element,
    close() {
      ended.abort();
      close?.();
    },
  };
}

/** @param {Upload} upload */
const what = ({ count, first, size: bytes }) => `${count === 1 ? first : counted(count, "file")}, ${size(bytes)}`;

/** @param {{ documents: number, skipped: number, replaced: number, problems: string[] }} added */
function said({ documents, skipped, replaced, problems }) {
  const more = [
    skipped && `${counted(skipped, "record")} left out as there already`,
    replaced && `${counted(replaced, "earlier one")} replaced`,
    problems.length && `${counted(problems.length, "part")} could not be read`,
  ].filter(Boolean);
  return `${counted(documents, "record")} can be searched now${more.length ? `; ${more.join(", ")}` : ""}.`;
}
