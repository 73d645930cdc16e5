// Files that were dropped or chosen, folders with all that is in them, as names and contents.

/** @typedef {import("./server.js").Sent} Sent */

/**
 * @param {DataTransfer} data whose items must be asked for at once: they are gone after the event
 * @returns {Promise<Sent[]>}
 */
export async function dropped(data) {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null && entry !== undefined);
  if (!entries.length) return chosen([...data.files]);
  const found = await Promise.all(entries.map((entry) => within(/** @type {any} */ (entry), "")));
  return plain(found.flat());
}

/** @param {File[]} files of a field; those of a folder know their paths */
export const chosen = (files) => plain(files.map((file) => ({ name: file.webkitRelativePath || file.name, file })));

/** @param {any} entry @param {string} above @returns {Promise<Sent[]>} */
async function within(entry, above) {
  const name = `${above}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ name, file }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) { // it gives a hundred at a time
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    found.push(...some);
  }
  return (await Promise.all(found.map((one) => within(one, `${name}/`)))).flat();
}

/** Without hidden files, such as .DS_Store; \ stands between folders in no name. @param {Sent[]} files */
const plain = (files) => files
  .map(({ name, file }) => ({ name: name.replaceAll("\\", "_"), file }))
  .filter(({ name }) => !name.split("/").some((part) => part.startsWith(".")))
  .sort((a, b) => (a.name < b.name ? -1 : 1));
