// Why these records, in words that need no explanation; the method's name is among the details.

import * as api from "../api.js";
import { details } from "../details.js";
import { seconds, sentence } from "../format.js";
import { described } from "../methods.js";

const PLAIN = /** @type {Record<string, string>} */ ({
  random: "Drawn at random from all that nobody has judged: this tells how many relevant ones are left.",
  none: "In the order of your words or examples, or at random where there are none: nothing is learned yet.",
  "relevant before": "Found relevant by title and abstract, the most likely ones first.",
});
const LEARNED = "The records that are most likely relevant, by what was judged so far.";

/** @param {any} page */
export async function chosenBy({ method, reason, seconds: spent }) {
  const { feedback } = await api.methods();
  return details([
    ["In short", PLAIN[method] ?? LEARNED],
    ["This time", sentence(reason)],
    ["Method", described(feedback, method)],
    ["Time", seconds(spent)],
  ], "Why these records?");
}
