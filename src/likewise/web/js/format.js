// Numbers, times and names as people read them.

const whole = new Intl.NumberFormat("en");
const when = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** @param {number} value */
export const count = (value) => whole.format(value);

/**
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (number, one, many = `${one}s`) =>
  `${count(number)} ${number === 1 ? one : many}`;

/** @param {number} value */
export const percent = (value) => `${Math.round(100 * value)}\u00a0%`;

/** @param {number} value bytes */
export function size(value) {
  if (value < 1000) return counted(value, "byte");
  const unit = Math.min(3, Math.floor(Math.log10(value) / 3));
  const number = value / 1000 ** unit;
  return `${number < 10 ? number.toFixed(1) : Math.round(number)} ${["", "kB", "MB", "GB"][unit]}`;
}

/** @param {number} value seconds */
export function seconds(value) {
  if (value < 0.0995) return `${Math.max(1, Math.round(1000 * value))} ms`;
  return value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}

/** @param {number} value what a term adds to a score */
export function weight(value) {
  const size = Math.abs(value);
  const text = size >= 0.0005 || size === 0 ? size.toFixed(3) : size.toExponential(0);
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** @param {string | null | undefined} stamp */
export const moment = (stamp) => (stamp ? when.format(new Date(stamp)) : "never");

/** @param {string} text */
export function sentence(text) {
  const trimmed = text.trim();
  const end = /[.!?…]$/.test(trimmed) ? "" : ".";
  return trimmed ? trimmed[0].toUpperCase() + trimmed.slice(1) + end : "";
}
