// Coordinates in the search field, such as "120, 45": offers to go there.

import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';
import { pixelViewFields, shownLink } from '../shared/url-hash.js';

/** @typedef {import('../canvas/canvas-view.js').CanvasView} CanvasView */
/** @typedef {{x: number, y: number}} Point */

const COORDINATES = /^\(?\s*(?:x\s*[=:]?\s*)?(\d{1,5})(?:\s*[,;]\s*|\s+)(?:y\s*[=:]?\s*)?(\d{1,5})\s*\)?$/i;
const VISIT_CELL = 12;

/** Returns the coordinates that a text consists of; `null` if it is another text. @param {string} text @returns {Point | null} */
export function readCoordinates(text) {
  const [, x, y] = COORDINATES.exec(text.trim()) ?? [];
  return y === undefined ? null : { x: Number(x), y: Number(y) };
}

/**
 * Says that a pixel is outside the canvas; an empty text if it is not.
 * @param {Point} point
 * @param {CanvasView} view
 */
export function describeOutside({ x, y }, { state }) {
  return state.contains(x, y) ? '' : translate('{x}, {y} is outside the canvas, which is {width} × {height} pixels.', { x, y, width: state.width, height: state.height });
}

/**
 * Renders a link that shows a pixel and its card.
 * @param {Point} point
 * @param {CanvasView} view
 * @param {() => void} onFollow called when the visitor follows the link
 */
export function renderPlace({ x, y }, { camera, elements }, onFollow) {
  const fields = { ...pixelViewFields({ x, y }, camera, VISIT_CELL), rect: null };
  const link = el('a', { href: shownLink(camera, fields) }, el('span', { class: 'search-text' }, translate('Go to {x}, {y}', { x, y })));
  link.addEventListener('click', () => {
    onFollow();
    elements.frame.scrollIntoView({ block: 'nearest' });
  });
  return el('li', { class: 'search-place' }, link);
}
