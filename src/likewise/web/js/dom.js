// Elements from plain calls. Text is always text: nothing here, or anywhere, parses HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | Record<string, EventListener>>} Attributes */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes `on` holds listeners; false and null leave an attribute out
 * @param {Child[]} children
 * @returns {E}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(/** @type {any} */ (value))) {
        element.addEventListener(event, listener);
      }
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat().filter(isThere).map(asNode));
  return element;
}

/** @param {Child} child */
const isThere = (child) => child !== null && child !== undefined && child !== false;

/** @param {any} child */
const asNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)));

/**
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any} the element; any, since callers know which kind it is
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, /** @type {Child[]} */ (children));
}

/**
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, /** @type {Child[]} */ (children));
}

const THUMB = "M7 10.5V20H4v-9.5zM7 10.5 10.6 3.6a2 2 0 0 1 2.6 2V9.5h4.9a2 2 0 0 1 2 2.4l-1.3 6.5A2 2 0 0 1 16.8 20H7";
/** What icons consist of, on a field of 24 by 24. */
const ICONS = {
  up: THUMB,
  down: THUMB,
  unsure: "M8.8 8.6a3.3 3.3 0 1 1 4.9 2.9c-1.1.6-1.7 1.3-1.7 2.7M12 18.2v.2",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  pin: "M12 16.5V21M8.5 3.5h7l-.8 7 2.8 3.5v2.5h-11V14l2.8-3.5z",
  off: "M5.6 5.6l12.8 12.8M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z",
  search: "M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.8 15.8 20.5 20.5",
  theme: "M12 3.5a8.5 8.5 0 1 0 0 17zM12 3.5a8.5 8.5 0 1 1 0 17",
  undo: "M8.5 5 4.5 9l4 4M5 9h9a5.5 5.5 0 0 1 0 11h-4",
  redo: "M15.5 5l4 4-4 4M19 9h-9a5.5 5.5 0 0 0 0 11h4",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const turn = name === "down" ? "rotate(180 12 12)" : null;
  const path = svg("path", { d: ICONS[name], transform: turn });
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}

/**
 * A button that says what it does, or with an icon has it as its label.
 * @param {string} label
 * @param {(event: any) => void} onClick
 * @param {Attributes & { icon?: any }} [more]
 */
export function button(label, onClick, more = {}) {
  const { icon: name, ...attributes } = more;
  const own = { type: "button", on: { click: onClick }, ...attributes };
  if (!name) return h("button", own, label);
  return h("button", { "aria-label": label, title: label, ...own }, icon(name));
}

/**
 * Put in place what is there now.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(.../** @type {any[]} */ (children.flat()).filter(isThere).map(asNode));
}
