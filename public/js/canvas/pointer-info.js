// The line under the frame: coordinates and colour under the pointer, and the zoom level.

import { byId } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {{x: number, y: number}} Point */

/**
 * @param {import('./canvas-state.js').CanvasState} state
 * @param {Point | null} point
 * @param {string | undefined} [text] the lens's description of the pixel, in place of the colour's name
 */
export function showPointerInfo(state, point, text) {
  const color = point ? state.colorAt(point.x, point.y) : undefined;
  byId('pointer-coordinates').textContent = point ? `x ${point.x}  y ${point.y}` : '';
  byId('pointer-hint').hidden = point !== null;
  byId('pointer-color').textContent = text ?? (color ? translate(color.name) : '');
  const swatch = byId('pointer-swatch');
  swatch.toggleAttribute('hidden', !color);
  if (color) swatch.firstElementChild?.setAttribute('fill', color.hex);
}

/** @param {import('./camera.js').Camera} camera */
export function showZoom(camera) {
  const size = camera.cssCell;
  byId('zoom-level').textContent = `${size < 10 ? +size.toFixed(1) : Math.round(size)}×`;
  /** @type {HTMLButtonElement} */ (byId('zoom-out')).disabled = camera.isFitted;
  /** @type {HTMLButtonElement} */ (byId('zoom-fit')).disabled = camera.isFitted;
}
