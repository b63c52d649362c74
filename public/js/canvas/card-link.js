// The pixel or the rectangle in the URL (#pixel=x.y, #rect=x1,y1,x2,y2), which open their cards.

import { describeMissingPixel } from './pixel-text.js';
import { heightOf, isOnCanvas, widthOf } from './region.js';
import { showNotice } from '../shared/lazy-load.js';
import { translate } from '../shared/translate.js';
import { hashField, setHashField } from '../shared/url-hash.js';

/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{width: number, height: number}} Size */

const TINY_CSS_PX = 40;

/**
 * Returns the pixel in the URL; `null` if there is none. One that cannot be shown is told and removed.
 * @param {import('./canvas-state.js').CanvasState} state
 */
export function linkedPixel(state) {
  const text = hashField('pixel');
  if (text === null) return null;
  const [x, y] = text.split(/[.,]/).map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : NaN));
  if (state.contains(x, y)) return { x, y };
  setHashField('pixel', null);
  showNotice(describeMissingPixel(x, y, state));
  return null;
}

/**
 * Returns the rectangle in the URL; `null` if there is none. One that cannot be shown is told and removed.
 * @param {Size} size of the canvas
 * @returns {Region | null}
 */
export function linkedRectangle(size) {
  const text = hashField('rect');
  if (text === null) return null;
  const region = parseRegion(text);
  const problem = findProblem(region, size);
  if (!problem) return region;
  setHashField('rect', null);
  showNotice(problem);
  return null;
}

/**
 * Returns whether a rectangle would be hard to see.
 * @param {Region} region
 * @param {import('./camera.js').Camera} camera
 */
export const isTiny = (region, { cssCell }) => Math.max(widthOf(region), heightOf(region)) * cssCell < TINY_CSS_PX;

/**
 * @param {string} text
 * @returns {Region | null} `null` if these are not four whole numbers
 */
function parseRegion(text) {
  const sides = text.split(',');
  if (sides.length !== 4 || !sides.every((side) => /^\d{1,5}$/.test(side))) return null;
  const [x1, y1, x2, y2] = sides.map(Number);
  return { x1, y1, x2, y2 };
}

/**
 * Says in a sentence why a rectangle cannot be shown; an empty text if it can.
 * @param {Region | null} region
 * @param {Size} size of the canvas
 */
function findProblem(region, size) {
  if (!region) return translate('The link names a rectangle, but not by four whole numbers.');
  if (region.x1 > region.x2 || region.y1 > region.y2) return translate('The link names a rectangle whose corners are in the wrong order.');
  if (isOnCanvas(region, size)) return '';
  const { width, height } = size;
  return translate('The link names a rectangle outside the canvas, which is {width} × {height} pixels.', { width, height });
}
