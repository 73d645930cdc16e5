// Which card the keyboard means. It follows the focus, and the focus follows it.

/** @typedef {ReturnType<typeof import("../card.js").card>} Card */

/** @param {() => Card[]} cards */
export function selection(cards) {
  let place = 0;
  const get = () => cards()[place] ?? null;

  /** @param {number} to @param {boolean} [focus] */
  function at(to, focus = true) {
    place = Math.max(0, Math.min(to, cards().length - 1));
    cards().forEach(({ element }, i) => {
      element.classList.toggle("chosen", i === place);
      element.tabIndex = i === place ? 0 : -1;
      element.onfocus = () => i !== place && at(i, false);
    });
    if (!focus) return;
    const element = get()?.element;
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  return {
    get,
    at,
    /** Where to go on, without moving the focus. */
    first: () => at(Math.max(0, cards().findIndex(({ hit }) => !hit.label)), false),
    focus: () => at(place),
    /** @param {number} by */
    move: (by) => at(place + by),
    nextUnjudged() {
      const all = cards();
      const order = all.map((_, i) => (place + 1 + i) % all.length);
      at(order.find((i) => !all[i].hit.label) ?? place);
    },
  };
}
