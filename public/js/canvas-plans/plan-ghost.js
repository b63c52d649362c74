// Draws what a plan's picture lacks: its wrong pixels in their wanted colours, half transparent, and marks on the damaged ones.

import { toCss } from '../canvas/paint-layer.js';

/** @typedef {import('../canvas/camera.js').Camera} Camera */
/** @typedef {import('./plan-progress.js').PlanProgress} PlanProgress */

const ALPHA = 0.6;
// From this size on the wanted colour leaves an edge of the pixel's own colour.
const INSET_FROM_CSS_PX = 8;
const INSET = 0.14;

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Camera} camera
 * @param {PlanProgress} progress
 * @param {import('../canvas/canvas-state.js').CanvasState} state
 */
export function drawGhost(context, camera, progress, { paletteColors }) {
  const { cell, originX, originY, viewWidth, viewHeight } = camera;
  const inset = camera.cssCell >= INSET_FROM_CSS_PX ? Math.round(cell * INSET) : 0;
  /** @type {{x: number, y: number}[]} */ const damaged = [];
  context.save();
  context.globalAlpha = ALPHA;
  progress.cells.forEach((color, index) => {
    if (!progress.isWrong(index)) return;
    const x = originX + (progress.x + index % progress.width) * cell;
    const y = originY + (progress.y + Math.floor(index / progress.width)) * cell;
    if (x > viewWidth || y > viewHeight || x + cell < 0 || y + cell < 0) return;
    context.fillStyle = toCss(paletteColors[color]);
    context.fillRect(x + inset, y + inset, cell - 2 * inset, cell - 2 * inset);
    if (progress.isDamaged(index)) damaged.push({ x, y });
  });
  context.globalAlpha = 1;
  for (const { x, y } of damaged) drawMark(context, camera, x, y);
  context.restore();
}

/**
 * Draws a cross on a damaged pixel, or a dot where there is no room for one.
 * @param {CanvasRenderingContext2D} context
 * @param {Camera} camera
 * @param {number} x device pixels
 * @param {number} y
 */
function drawMark(context, { cell, cssCell, dpr }, x, y) {
  if (cssCell < INSET_FROM_CSS_PX) return drawDot(context, x + cell / 2, y + cell / 2, Math.max(1, cell * 0.2));
  const [near, far] = [cell * 0.28, cell * 0.72];
  context.beginPath();
  context.moveTo(x + near, y + near);
  context.lineTo(x + far, y + far);
  context.moveTo(x + far, y + near);
  context.lineTo(x + near, y + far);
  context.lineCap = 'round';
  for (const [width, color] of /** @type {[number, string][]} */ ([[3.5, '#14100c'], [1.5, '#fff']])) {
    context.lineWidth = width * dpr;
    context.strokeStyle = color;
    context.stroke();
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
function drawDot(context, x, y, radius) {
  for (const [size, color] of /** @type {[number, string][]} */ ([[radius + 1, '#14100c'], [radius, '#fff']])) {
    context.fillStyle = color;
    context.fillRect(Math.round(x - size), Math.round(y - size), Math.round(2 * size), Math.round(2 * size));
  }
}
