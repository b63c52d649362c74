// Buttons with which an answer points to a place on the canvas or to a moment of the season.

import { el } from '../shared/dom.js';
import { formatMoment } from '../shared/format.js';
import { translate } from '../shared/translate.js';
import { parseMoment } from '../time/moment.js';

/** @typedef {import('./types.js').PageActions} PageActions */
/** @typedef {import('./types.js').Region} Region */

const OUTLINE_MS = 4000;

/**
 * Creates a button that shows a region; `null` if the canvas does not have it.
 * @param {Region} region
 * @param {PageActions} actions
 */
export function createPlaceButton(region, actions) {
  const { x1, y1, x2, y2 } = region;
  if (x2 < x1 || y2 < y1 || !actions.contains(x1, y1) || !actions.contains(x2, y2)) return null;
  const isPixel = x1 === x2 && y1 === y2;
  const button = createButton(isPixel ? `${x1},${y1}` : translate('{x1},{y1} to {x2},{y2}', { x1, y1, x2, y2 }), translate('Show on the canvas:'));
  const isPointedAt = () => button.matches(':hover, :focus');
  for (const name of ['pointerenter', 'focus']) button.addEventListener(name, () => actions.outline([region]));
  for (const name of ['pointerleave', 'blur']) button.addEventListener(name, () => actions.outline([]));
  button.addEventListener('click', () => {
    actions.visit(region);
    // A touch ends at once: the outline stays for a while.
    actions.outline([region]);
    setTimeout(() => { if (!isPointedAt()) actions.outline([]); }, OUTLINE_MS);
  });
  return button;
}

/**
 * Creates a button that shows a moment; `null` if it is none.
 * @param {string} at the number of an event, or a time
 * @param {PageActions} actions
 */
export function createMomentButton(at, actions) {
  const moment = parseMoment(at);
  if (!moment) return null;
  const button = createButton('seq' in moment ? translate('event {seq}', { seq: moment.seq }) : formatMoment(moment.time), translate('Show this moment:'));
  button.addEventListener('click', () => actions.showMoment(moment));
  return button;
}

/**
 * @param {string} words
 * @param {string} purpose for screen readers
 */
function createButton(words, purpose) {
  return el('button', { type: 'button', class: 'plain guide-pointer' }, el('span', { class: 'sr-only' }, `${purpose} `), words);
}
