// Draws over the paint: the grid, the outlines of an intent, the selected pixel and the keyboard cursor.

import { get2dContext } from './paint-layer.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Box  device pixels */
/** @typedef {{draw: (context: CanvasRenderingContext2D, camera: Camera) => void, isVisible?: boolean}} Layer  `isVisible` is `false` while it would draw nothing */

const GRID_FROM_CSS_PX = 14;

export class Overlay {
  /** @type {Region[]} */ regions = [];
  /** @type {Point | null} */ selected = null;
  /** @type {Point | null} */ pointer = null;
  /** Drawn over the grid, in this order. @type {Layer[]} */ layers = [];

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = get2dContext(canvas);
  }

  /** @param {Camera} camera */
  draw(camera) {
    const hasGrid = camera.cssCell >= GRID_FROM_CSS_PX;
    const layers = this.layers.filter(({ isVisible }) => isVisible !== false);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    // An empty canvas would be laid over each frame of the paint.
    this.canvas.hidden = !(hasGrid || layers.length || this.regions.length || this.pointer || this.selected);
    if (hasGrid) this.#drawGrid(camera);
    for (const layer of layers) layer.draw(this.context, camera);
    if (this.regions.length) this.#drawRegions(camera);
    if (this.pointer) this.#drawFrame(camera, toBox(camera, toRegion(this.pointer)));
    if (this.selected) this.#drawFrame(camera, toBox(camera, toRegion(this.selected)));
  }

  /** @param {Camera} camera */
  #drawGrid({ cell, originX, originY, columns, rows }) {
    const { context } = this;
    const right = originX + columns * cell;
    const bottom = originY + rows * cell;
    context.fillStyle = 'rgb(110 100 90 / 30%)';
    for (let x = originX + cell; x < right; x += cell) context.fillRect(x, originY, 1, bottom - originY);
    for (let y = originY + cell; y < bottom; y += cell) context.fillRect(originX, y, right - originX, 1);
  }

  /** Outlines an intent's regions and dims the rest; a region out of view is pointed at with an arrow. @param {Camera} camera */
  #drawRegions(camera) {
    const boxes = this.regions.map((region) => toBox(camera, region));
    const seen = boxes.filter((box) => isSeen(camera, box));
    if (seen.length) this.#dimOutside(seen);
    for (const box of seen) this.#drawFrame(camera, box);
    for (const box of boxes) if (!seen.includes(box)) this.#drawArrow(camera, box.x + box.width / 2, box.y + box.height / 2);
  }

  /**
   * Draws an arrow at the edge of the view, towards a point outside it.
   * @param {Camera} camera
   * @param {number} x
   * @param {number} y
   */
  #drawArrow({ viewWidth, viewHeight, dpr }, x, y) {
    const { context } = this;
    const size = 11 * dpr;
    const [left, top] = [clamp(x, 2 * size, viewWidth - 2 * size), clamp(y, 2 * size, viewHeight - 2 * size)];
    context.save();
    context.translate(left, top);
    context.rotate(Math.atan2(y - top, x - left));
    context.beginPath();
    context.moveTo(size, 0);
    context.lineTo(-size, size);
    context.lineTo(-size / 2, 0);
    context.lineTo(-size, -size);
    context.closePath();
    context.lineWidth = 4 * dpr;
    context.strokeStyle = '#fff';
    context.fillStyle = '#14100c';
    context.stroke();
    context.fill();
    context.restore();
  }

  /**
   * Draws a dark and a light line, which are visible on any paint.
   * @param {Camera} camera
   * @param {Box} box
   */
  #drawFrame({ dpr }, { x, y, width, height }) {
    const { context } = this;
    const line = Math.max(1, Math.round(dpr));
    context.lineWidth = line * 2;
    context.strokeStyle = '#fff';
    context.strokeRect(x - line, y - line, width + 2 * line, height + 2 * line);
    context.strokeStyle = '#14100c';
    context.strokeRect(x - 3 * line, y - 3 * line, width + 6 * line, height + 6 * line);
  }

  /** @param {Box[]} boxes */
  #dimOutside(boxes) {
    const { context, canvas } = this;
    context.save();
    // One clip for each box, because boxes may overlap.
    for (const { x, y, width, height } of boxes) {
      context.beginPath();
      context.rect(0, 0, canvas.width, canvas.height);
      context.rect(x, y, width, height);
      context.clip('evenodd');
    }
    context.fillStyle = 'rgb(12 9 6 / 45%)';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.restore();
  }
}

/**
 * @param {number} value
 * @param {number} min
 * @param {number} max
 */
function clamp(value, min, max) {
  return Math.min(max, Math.max(min, value));
}

/**
 * Returns a region's place in the view.
 * @param {Camera} camera
 * @param {Region} region
 * @returns {Box}
 */
export function toBox({ cell, originX, originY }, { x1, y1, x2, y2 }) {
  return { x: originX + x1 * cell, y: originY + y1 * cell, width: (x2 - x1 + 1) * cell, height: (y2 - y1 + 1) * cell };
}

/**
 * Returns whether a part of a box is in the view.
 * @param {Camera} camera
 * @param {Box} box
 */
export function isSeen({ viewWidth, viewHeight }, { x, y, width, height }) {
  return x < viewWidth && y < viewHeight && x + width > 0 && y + height > 0;
}

/** @param {Point} at @returns {Region} */
function toRegion({ x, y }) {
  return { x1: x, y1: y, x2: x, y2: y };
}
