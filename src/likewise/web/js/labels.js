// The judgements: how the API calls them, how people do, and their pictures.

/** @typedef {"relevant" | "not" | "unsure"} Label */

export const LABELS = /** @type {const} */ ([
  { label: "relevant", says: "Relevant", picture: "up" },
  { label: "not", says: "Not relevant", picture: "down" },
  { label: "unsure", says: "Unsure", picture: "unsure" },
]);

/** @param {Label | null | undefined} label */
export const said = (label) =>
  LABELS.find((one) => one.label === label)?.says.toLowerCase() ?? "not judged";
