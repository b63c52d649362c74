// Pieces of the picture beside messages that name regions: small canvases, drawn again while they are in sight.

import { el } from '../shared/dom.js';

/** @typedef {import('../canvas/canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').Region} Region */

const REDRAW_MS = 400;
// More pixels could not be told apart in a row of the chat.
const MAX_SIDE = 128;
/** The width of the surroundings: at least this many cells, and this share of the region's longer side. */
const LEAST_MARGIN = 2;
const MARGIN_SHARE = 0.3;
/** Makes a colour of ImageData pale, by less alpha. */
const PALE_MASK = 0x55ffffff;

/** @type {WeakMap<Element, () => void>} what draws each canvas */
const drawings = new WeakMap();
/** The canvases in sight. @type {Set<Element>} */
const visible = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) drawings.get(target)?.();
    if (isIntersecting) visible.add(target);
    else visible.delete(target);
  }
});
let redrawTimer = 0;

/** Draws the pieces in sight again, after the shown picture changed; a few times a second at most. */
export function redrawRegionPictures() {
  if (visible.size) redrawTimer ||= setTimeout(redraw, REDRAW_MS);
}

function redraw() {
  redrawTimer = 0;
  if (!document.hidden) for (const canvas of visible) drawings.get(canvas)?.();
}

/**
 * Renders a region of the picture as it is shown on the canvas, live or of a past moment, with pale surroundings: what is
 * announced is often not painted yet.
 * @param {Region} region
 * @param {CanvasState} state
 */
export function renderRegionPicture({ x1, y1, x2, y2 }, state) {
  const margin = Math.max(LEAST_MARGIN, Math.round(Math.max(x2 - x1, y2 - y1) * MARGIN_SHARE));
  const [left, top] = [x1 - margin, y1 - margin];
  const [across, down] = [x2 + margin - left + 1, y2 + margin - top + 1];
  const scale = Math.min(1, MAX_SIDE / Math.max(across, down));
  const [width, height] = [across, down].map((side) => Math.max(1, Math.round(side * scale)));
  const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'region-picture', width, height, 'aria-hidden': 'true' }));
  const context = canvas.getContext('2d');
  const data = new ImageData(width, height);
  const pixels = new Uint32Array(data.data.buffer);
  drawings.set(canvas, () => {
    for (let at = 0; at < pixels.length; at++) {
      const [x, y] = [left + Math.floor(at % width * across / width), top + Math.floor(Math.floor(at / width) * down / height)];
      const color = state.contains(x, y) ? state.paletteColors[state.cells[y * state.width + x]] ?? 0 : 0;
      const isInside = x >= x1 && x <= x2 && y >= y1 && y <= y2;
      pixels[at] = isInside ? color : color & PALE_MASK;
    }
    context?.putImageData(data, 0, 0);
  });
  observer.observe(canvas);
  return canvas;
}
