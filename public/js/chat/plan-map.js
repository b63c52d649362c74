// The small map of a plan: its region of the canvas and its colours.

import { el, svg, swatch } from '../shared/dom.js';

/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {import('../canvas/canvas-state.js').CanvasState} CanvasState */
/** @typedef {{outline: (region: Region | null) => void, visit: (region: Region) => void}} RegionActions */

const MAX_COLORS = 32;
const OUTLINE_MS = 4000;

/**
 * @param {Region} region
 * @param {CanvasState} state
 */
function renderMap(region, { width, height }) {
  // A plan of one pixel must be visible on a thumbnail.
  const least = Math.max(width, height) / 14;
  const w = Math.max(least, region.x2 - region.x1 + 1);
  const h = Math.max(least, region.y2 - region.y1 + 1);
  const x = Math.min(region.x1, width - w);
  const y = Math.min(region.y1, height - h);
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    svg('rect', { class: 'map-canvas', width, height, 'stroke-width': width / 40 }),
    svg('rect', { class: 'map-region', x, y, width: w, height: h }));
}

/**
 * @param {Region} region
 * @param {number[]} colors
 * @param {CanvasState} state
 * @param {RegionActions} regionActions
 */
export function renderPlanMap(region, colors, state, regionActions) {
  const tints = colors.slice(0, MAX_COLORS).map((index) => state.palette[index]).filter(Boolean).map((color) => swatch(color.hex));
  const where = el('span', { class: 'coordinates num' }, `${region.x1}, ${region.y1} to ${region.x2}, ${region.y2}`);
  const words = el('span', {}, el('span', { class: 'sr-only' }, 'Show on the canvas: '), where);
  if (tints.length) words.append(el('span', { class: 'colors' }, ...tints));
  const button = el('button', { type: 'button', class: 'plain plan-map' }, renderMap(region, state), words);
  for (const name of ['pointerenter', 'focus']) button.addEventListener(name, () => regionActions.outline(region));
  for (const name of ['pointerleave', 'blur']) button.addEventListener(name, () => regionActions.outline(null));
  button.addEventListener('click', () => {
    regionActions.visit(region);
    // A touch ends at once and the closing sheet takes the focus: the outline stays for a while.
    regionActions.outline(region);
    setTimeout(() => { if (!button.matches(':hover, :focus')) regionActions.outline(null); }, OUTLINE_MS);
  });
  return button;
}
