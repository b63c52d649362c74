// Moves the view to a plan, beside the list that covers a part of the canvas.

/** @typedef {import('../canvas/canvas-view.js').CanvasView} CanvasView */

const MARGIN_CELLS = 8;
const MAX_CELL_CSS_PX = 32;
// A smaller part of the canvas is no place to show a plan in.
const MIN_FREE_CSS_PX = 120;

/**
 * @param {CanvasView} view
 * @param {import('../shared/types.js').Region} region
 * @param {Element} list
 */
export function visitPlan(view, { x1, y1, x2, y2 }, list) {
  const { frame, canvas } = view.elements;
  const { dpr, fitCell } = view.camera;
  view.takeControl();
  frame.scrollIntoView({ block: 'nearest' });
  const art = canvas.getBoundingClientRect();
  const free = findFreeArea(art, list.getBoundingClientRect());
  const fitting = Math.min(MAX_CELL_CSS_PX, free.width / (x2 - x1 + 1 + MARGIN_CELLS), free.height / (y2 - y1 + 1 + MARGIN_CELLS));
  const cell = Math.max(fitCell, Math.floor(fitting * dpr)) / dpr;
  const [dx, dy] = [free.left + free.width / 2 - art.left - art.width / 2, free.top + free.height / 2 - art.top - art.height / 2];
  view.animateTo((x1 + x2 + 1) / 2 - dx / cell, (y1 + y2 + 1) / 2 - dy / cell, cell);
}

/**
 * Returns the part of the canvas that the list leaves: at its right, or above it if it is a sheet.
 * @param {DOMRect} art
 * @param {DOMRect} list
 */
function findFreeArea(art, list) {
  const beside = new DOMRect(list.right, art.top, art.right - list.right, art.height);
  const above = new DOMRect(art.left, art.top, art.width, list.top - art.top);
  const isApart = list.right <= art.left || list.left >= art.right || list.top >= art.bottom || !list.width;
  const free = isApart ? art : above.width * above.height > beside.width * beside.height ? above : beside;
  return free.width < MIN_FREE_CSS_PX || free.height < MIN_FREE_CSS_PX ? art : free;
}
