// The line under the frame: the coordinates and colour under the pointer, and the zoom.

import { byId } from '../shared/dom.js';

/** @typedef {{x: number, y: number}} Spot */

/**
 * @param {import('./canvas-state.js').CanvasState} state
 * @param {Spot | null} spot
 * @param {string | undefined} [said] what another look says of the pixel, instead of its colour's name
 */
export function showReading(state, spot, said) {
  const color = spot ? state.colorAt(spot.x, spot.y) : undefined;
  byId('reading-place').textContent = spot ? `x ${spot.x}  y ${spot.y}` : '';
  byId('reading-hint').hidden = spot !== null;
  // While the pointer is away, the legend of another look has this place.
  byId('reading').toggleAttribute('data-idle', spot === null);
  byId('reading-color').textContent = said ?? color?.name ?? '';
  const swatch = byId('reading-swatch');
  swatch.toggleAttribute('hidden', !color);
  if (color) swatch.firstElementChild?.setAttribute('fill', color.hex);
}

/** @param {import('./camera.js').Camera} camera */
export function showZoom(camera) {
  const size = camera.cssCell;
  byId('zoom-level').textContent = `${size < 10 ? +size.toFixed(1) : Math.round(size)}×`;
  /** @type {HTMLButtonElement} */ (byId('zoom-out')).disabled = camera.fitted;
  /** @type {HTMLButtonElement} */ (byId('zoom-fit')).disabled = camera.fitted;
}
