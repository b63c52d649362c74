// What lies over the paint: the grid, the outline of a plan, the chosen pixel and the pointer.

import { context } from './paint-layer.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Spot */

const GRID_FROM_CSS_PX = 14;

export class Overlay {
  /** @type {Region | null} */ region = null;
  /** @type {Spot | null} */ chosen = null;
  /** @type {Spot | null} */ pointer = null;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = context(canvas);
  }

  /** @param {Camera} camera */
  draw(camera) {
    this.pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (camera.cssCell >= GRID_FROM_CSS_PX) this.#grid(camera);
    if (this.region) this.#plan(camera, this.region);
    if (this.pointer) this.#frame(camera, spot(this.pointer));
    if (this.chosen) this.#frame(camera, spot(this.chosen));
  }

  /** @param {Camera} camera */
  #grid({ cell, originX, originY, columns, rows }) {
    const { pen } = this;
    const right = originX + columns * cell;
    const bottom = originY + rows * cell;
    pen.fillStyle = 'rgb(110 100 90 / 30%)';
    for (let x = originX + cell; x < right; x += cell) pen.fillRect(x, originY, 1, bottom - originY);
    for (let y = originY + cell; y < bottom; y += cell) pen.fillRect(originX, y, right - originX, 1);
  }

  /**
   * A plan is outlined and the rest steps back; one beyond the edge is pointed at.
   * @param {Camera} camera
   * @param {Region} region
   */
  #plan(camera, region) {
    const { cell, originX, originY, viewWidth, viewHeight } = camera;
    const [x, y] = [originX + region.x1 * cell, originY + region.y1 * cell];
    const [width, height] = [(region.x2 - region.x1 + 1) * cell, (region.y2 - region.y1 + 1) * cell];
    const seen = x < viewWidth && y < viewHeight && x + width > 0 && y + height > 0;
    if (!seen) return this.#pointTo(camera, x + width / 2, y + height / 2);
    this.#dimAround(x, y, width, height);
    this.#frame(camera, region);
  }

  /**
   * An arrow at the edge of the window, towards a place outside it.
   * @param {Camera} camera
   * @param {number} x
   * @param {number} y
   */
  #pointTo({ viewWidth, viewHeight, dpr }, x, y) {
    const { pen } = this;
    const size = 11 * dpr;
    const [left, top] = [clamp(x, 2 * size, viewWidth - 2 * size), clamp(y, 2 * size, viewHeight - 2 * size)];
    pen.save();
    pen.translate(left, top);
    pen.rotate(Math.atan2(y - top, x - left));
    pen.beginPath();
    pen.moveTo(size, 0);
    pen.lineTo(-size, size);
    pen.lineTo(-size / 2, 0);
    pen.lineTo(-size, -size);
    pen.closePath();
    pen.lineWidth = 4 * dpr;
    pen.strokeStyle = '#fff';
    pen.fillStyle = '#14100c';
    pen.stroke();
    pen.fill();
    pen.restore();
  }

  /**
   * Two lines, one dark and one light, so that it shows on any paint.
   * @param {Camera} camera
   * @param {Region} region
   */
  #frame({ cell, originX, originY, dpr }, region) {
    const { pen } = this;
    const line = Math.max(1, Math.round(dpr));
    const x = originX + region.x1 * cell;
    const y = originY + region.y1 * cell;
    const width = (region.x2 - region.x1 + 1) * cell;
    const height = (region.y2 - region.y1 + 1) * cell;
    pen.lineWidth = line * 2;
    pen.strokeStyle = '#fff';
    pen.strokeRect(x - line, y - line, width + 2 * line, height + 2 * line);
    pen.strokeStyle = '#14100c';
    pen.strokeRect(x - 3 * line, y - 3 * line, width + 6 * line, height + 6 * line);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  #dimAround(x, y, width, height) {
    const { pen, canvas } = this;
    pen.fillStyle = 'rgb(12 9 6 / 45%)';
    pen.beginPath();
    pen.rect(0, 0, canvas.width, canvas.height);
    pen.rect(x, y, width, height);
    pen.fill('evenodd');
  }
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
function clamp(value, least, most) {
  return Math.min(most, Math.max(least, value));
}

/** @param {Spot} at @returns {Region} */
function spot({ x, y }) {
  return { x1: x, y1: y, x2: x, y2: y };
}
