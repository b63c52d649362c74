// The map of an intent: the pieces of the picture in its regions, where they are, and its colours.

import { renderRegionPicture } from './region-pictures.js';
import { el, swatch } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {import('../canvas/canvas-state.js').CanvasState} CanvasState */
/** @typedef {{outline: (regions: Region[]) => void, visit: (regions: Region[]) => void}} RegionActions */

const MAX_COLORS = 32;
const OUTLINE_MS = 4000;

/** Returns the regions that a message names, such as those of an intent; none if only its text says where. @param {Message} message */
export const findRegions = ({ regions, region }) => (regions ?? (region ? [region] : [])).filter(isValidRegion);

/** @param {Region} region */
function isValidRegion({ x1, y1, x2, y2 }) {
  return [x1, y1, x2, y2].every(Number.isInteger) && x1 <= x2 && y1 <= y2;
}

/**
 * Renders the pieces of the picture that an intent names, as a button that shows them on the canvas.
 * @param {Message} message
 * @param {CanvasState} state
 * @param {RegionActions} regionActions
 */
export function renderIntentMap(message, state, regionActions) {
  const button = el('button', { type: 'button', class: 'plain intent-map' });
  fillMap(button, message, state);
  for (const name of ['pointerenter', 'focus']) button.addEventListener(name, () => regionActions.outline(findRegions(message)));
  for (const name of ['pointerleave', 'blur']) button.addEventListener(name, () => regionActions.outline([]));
  button.addEventListener('click', () => {
    regionActions.visit(findRegions(message));
    // A touch ends at once and the closing sheet takes the focus: the outline stays for a while.
    regionActions.outline(findRegions(message));
    setTimeout(() => { if (!isPointedAt(button)) regionActions.outline([]); }, OUTLINE_MS);
  });
  return button;
}

/**
 * Shows the regions after they changed.
 * @param {Element} button
 * @param {Message} message the same object as when the button was rendered
 * @param {CanvasState} state
 * @param {RegionActions} regionActions
 */
export function updateIntentMap(button, message, state, regionActions) {
  fillMap(button, message, state);
  if (isPointedAt(button)) regionActions.outline(findRegions(message));
}

/** @param {Element} button */
const isPointedAt = (button) => button.matches(':hover, :focus');

/**
 * @param {Element} button
 * @param {Message} message
 * @param {CanvasState} state
 */
function fillMap(button, message, state) {
  const regions = findRegions(message);
  const places = regions.map(({ x1, y1, x2, y2 }) => el('span', { class: 'coordinates num' }, translate('{x1}, {y1} to {x2}, {y2}', { x1, y1, x2, y2 })));
  // The commas separate regions for screen readers; each has a line of its own.
  const commas = places.slice(1).map((place) => [el('span', { class: 'sr-only' }, ', '), place]);
  const words = el('span', {}, el('span', { class: 'sr-only' }, `${translate('Show on the canvas:')} `), places[0], ...commas.flat());
  const tints = (message.color_palette ?? []).slice(0, MAX_COLORS).map((index) => state.palette[index]).filter(Boolean).map((color) => swatch(color.hex));
  if (tints.length) words.append(el('span', { class: 'colors' }, ...tints));
  const pictures = regions.map((region) => renderRegionPicture(region, state));
  button.replaceChildren(el('span', { class: 'region-pictures' }, ...pictures), words);
}
