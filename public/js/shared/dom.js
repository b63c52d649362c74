// Builds DOM nodes; outside text only becomes text nodes here.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`#${id} is missing from the page`);
  return found;
}

/**
 * @param {Element} node
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...Node} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  fill(node, attributes, children);
  return node;
}

/**
 * Renders a name, isolated in its own writing direction and cut with an ellipsis where it does not fit.
 * @param {string} name
 */
export function nameTag(name) {
  return el('bdi', { class: 'name', dir: 'auto' }, name);
}

/**
 * Renders a square of a palette colour by an attribute, because inline styles are forbidden.
 * @param {string} hex
 */
export function swatch(hex) {
  return svg('svg', { class: 'swatch', viewBox: '0 0 1 1', 'aria-hidden': 'true' },
    svg('rect', { width: 1, height: 1, fill: hex }));
}

/**
 * Sets the text only if it differs: a new text node is laid out and drawn again.
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Replaces the items of a list. Items that stay in place are not moved in the DOM: a press on them would be lost.
 * @param {HTMLElement} list
 * @param {HTMLElement[]} items
 */
export function replaceItems(list, items) {
  for (const item of [...list.children]) if (!items.includes(/** @type {HTMLElement} */ (item))) item.remove();
  items.forEach((item, place) => { if (list.children[place] !== item) list.insertBefore(item, list.children[place]); });
}
