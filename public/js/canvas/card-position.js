// Positions the card so that it does not cover the part of the canvas that it is about.

import { heightOf, widthOf } from './region.js';

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {import('../shared/types.js').Region} Region */

const MARGIN_PX = 12;

/**
 * Returns a region's box on the screen, in CSS pixels.
 * @param {CanvasView} view
 * @param {Region} region
 */
function regionBox({ camera, elements }, region) {
  const art = elements.canvas.getBoundingClientRect();
  const size = camera.cssCell;
  const [left, top] = [art.left + camera.originX / camera.dpr + region.x1 * size, art.top + camera.originY / camera.dpr + region.y1 * size];
  return { left, top, right: left + widthOf(region) * size, bottom: top + heightOf(region) * size };
}

/**
 * Returns whether the card, with its margin, overlaps the box.
 * @param {HTMLElement} card
 * @param {{left: number, top: number, right: number, bottom: number}} box
 */
function overlaps(card, box) {
  const own = card.getBoundingClientRect();
  return box.right > own.left - MARGIN_PX && box.left < own.right + MARGIN_PX && box.bottom > own.top - MARGIN_PX && box.top < own.bottom + MARGIN_PX;
}

// The same widths as in inspect.css.
const isSmallScreen = matchMedia('(max-width: 59.99rem)');
const isWideScreen = matchMedia('(min-width: 80rem)');

/** Returns where cards and the list of plans are: a sheet at an edge of a small screen, over the canvas, or in the column beside it. */
export function cardPlace() {
  if (isSmallScreen.matches) return 'sheet';
  return isWideScreen.matches && !document.fullscreenElement ? 'column' : 'over';
}

/**
 * Moves the card to the other side (as a sheet: to the other edge) if it would cover its region.
 * @param {HTMLElement} card
 * @param {CanvasView} view
 * @param {Region} region
 */
export function positionCard(card, view, region) {
  const place = cardPlace();
  const box = regionBox(view, region);
  if (place === 'column' || !overlaps(card, box)) return;
  const [name, first, second] = place === 'sheet' ? ['edge', 'bottom', 'top'] : ['side', 'right', 'left'];
  const here = card.dataset[name] ?? first;
  card.dataset[name] = here === first ? second : first;
  // If the region is under both positions, moving the card would make it jump with each camera step.
  if (overlaps(card, box)) card.dataset[name] = here;
}
