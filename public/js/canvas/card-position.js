// Where the card lies: never on the pixel that it speaks about.

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */

const MARGIN = 12;

/**
 * The box of a pixel on the screen.
 * @param {CanvasView} view
 * @param {{x: number, y: number}} spot
 */
function boxOf({ camera, parts }, { x, y }) {
  const art = parts.art.getBoundingClientRect();
  const size = camera.cssCell;
  const [left, top] = [art.left + camera.originX / camera.dpr + x * size, art.top + camera.originY / camera.dpr + y * size];
  return { left, top, right: left + size, bottom: top + size };
}

/**
 * @param {HTMLElement} card
 * @param {{left: number, top: number, right: number, bottom: number}} box
 */
function covers(card, box) {
  const own = card.getBoundingClientRect();
  return box.right > own.left - MARGIN && box.left < own.right + MARGIN && box.bottom > own.top - MARGIN && box.top < own.bottom + MARGIN;
}

/** Whether it lies over the lower edge of a small screen. @param {HTMLElement} card */
export const isSheet = (card) => getComputedStyle(card).position === 'fixed';

/**
 * Takes the other side, or as a sheet the other edge, where the card would hide its pixel.
 * @param {HTMLElement} card
 * @param {CanvasView} view
 * @param {{x: number, y: number}} spot
 */
export function place(card, view, spot) {
  const box = boxOf(view, spot);
  if (!covers(card, box)) return;
  const [name, first, second] = isSheet(card) ? ['edge', 'bottom', 'top'] : ['side', 'right', 'left'];
  const here = card.dataset[name] ?? first;
  card.dataset[name] = here === first ? second : first;
  // Where the pixel lies under both, each step of the camera would make it jump.
  if (covers(card, box)) card.dataset[name] = here;
}
