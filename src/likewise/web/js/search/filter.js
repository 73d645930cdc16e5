// Filters as text, taken apart and put together: year>=2019 primary=cs.CL,cs.LG

/** @typedef {{ field: string, operator: string, values: string[] }} Condition */

const WORD = '"(?:[^"\\\\]|\\\\.)*"|[^\\s"=!<>,]+';
const CONDITION = new RegExp(`\\s*(${WORD})\\s*(!=|<=|>=|<|>|=)\\s*((?:${WORD})(?:,(?:${WORD}))*)(?=\\s|$)`, "y");

/** @param {string} text @returns {Condition[] | null} null where it is not understood */
export function parse(text) {
  const found = [];
  CONDITION.lastIndex = 0;
  const end = text.trimEnd().length;
  while (CONDITION.lastIndex < end) {
    const match = CONDITION.exec(text);
    if (!match) return null;
    const values = match[3].match(new RegExp(WORD, "g")) ?? [];
    found.push({ field: bare(match[1]), operator: match[2], values: values.map(bare) });
  }
  return found;
}

/** @param {Condition[]} conditions */
export const write = (conditions) => conditions
  .map(({ field, operator, values }) => quoted(field) + operator + values.map(quoted).join(","))
  .join(" ");

/**
 * With these values for a field and an operator; without any, no condition.
 * @param {string} text @param {string} field @param {string} operator @param {string[]} values
 */
export function changed(text, field, operator, values) {
  const others = (parse(text) ?? []).filter((one) => one.field !== field || one.operator !== operator);
  return write(values.length ? [...others, { field, operator, values }] : others);
}

/** @param {string} text @param {string} field @param {string} operator @returns {string[]} */
export const valuesOf = (text, field, operator) =>
  (parse(text) ?? []).find((one) => one.field === field && one.operator === operator)?.values ?? [];

/** @param {string} word */
const bare = (word) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/gs, "$1") : word);

/** @param {string} word */
const quoted = (word) =>
  (/^[^\s"=!<>,]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`);
