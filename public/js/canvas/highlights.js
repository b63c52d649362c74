// Highlights of new placements: one per placement while they are few, a shimmer where they are many; the work is bounded.

import { get2dContext } from './paint-layer.js';
import { Shimmer } from './shimmer.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {{x: number, y: number, at: number, halo: boolean}} Highlight */

const HIGHLIGHT_MS = 1500;
const MAX_PER_SECOND = 160;
const BURST = 120;
// Placements close in time and space are a group with one halo.
const GROUP_MS = 350;
const GROUP_CELLS = 6;
const MAX_HALOS = 40;
const HALO_CSS_PX = 15;
const SPRITE_PX = 64;

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class Highlights {
  /** @type {Highlight[]} */ #highlights = [];
  #tokens = BURST;
  #refilledAt = 0;
  #halo = createHaloSprite();
  /** @type {[number, number, number, number][]} */ #drawnBoxes = [];

  canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'overlay', 'aria-hidden': 'true' }));
  context = get2dContext(this.canvas);
  shimmer = new Shimmer();

  get isActive() {
    return this.#highlights.length > 0 || this.shimmer.isActive;
  }

  /**
   * Highlights a placement if it is visible.
   * @param {Camera} camera
   * @param {number} x
   * @param {number} y
   * @param {number} now
   */
  add(camera, x, y, now) {
    if (reducedMotion.matches || !isVisible(camera, x, y)) return;
    this.#tokens = Math.min(BURST, this.#tokens + Math.max(0, now - this.#refilledAt) * MAX_PER_SECOND / 1000);
    this.#refilledAt = now;
    if (this.#tokens < 1) return this.shimmer.add(camera, x, y);
    this.#tokens--;
    this.#highlights.push({ x, y, at: now, halo: this.#startsGroup(x, y, now) });
  }

  /**
   * Returns whether a placement is the first of its group and the limit of halos is not reached.
   * @param {number} x
   * @param {number} y
   * @param {number} now
   */
  #startsGroup(x, y, now) {
    let halos = 0;
    for (const highlight of this.#highlights) {
      if (!highlight.halo) continue;
      if (++halos >= MAX_HALOS) return false;
      if (now - highlight.at < GROUP_MS && Math.abs(highlight.x - x) <= GROUP_CELLS && Math.abs(highlight.y - y) <= GROUP_CELLS) return false;
    }
    return true;
  }

  /** Removes all highlights, because another moment is shown. */
  clear() {
    this.#highlights = [];
    this.shimmer.clear();
  }

  /**
   * @param {Camera} camera
   * @param {number} now
   */
  draw(camera, now) {
    this.#clearDrawn();
    this.shimmer.draw(now);
    this.#highlights = this.#highlights.filter((highlight) => now - highlight.at < HIGHLIGHT_MS);
    for (const highlight of this.#highlights) this.#drawHighlight(camera, highlight, Math.max(0, now - highlight.at) / HIGHLIGHT_MS);
    this.context.globalAlpha = 1;
  }

  /** Clears only the boxes that the last frame has drawn. */
  #clearDrawn() {
    for (const box of this.#drawnBoxes) this.context.clearRect(...box);
    this.#drawnBoxes = [];
  }

  /**
   * Draws a fading square over the pixel and, for the first of a group, an opening outline with a halo.
   * @param {Camera} camera
   * @param {Highlight} highlight
   * @param {number} age 0 to 1
   */
  #drawHighlight({ cell, originX, originY, dpr }, { x, y, halo }, age) {
    const { context } = this;
    const [left, top] = [originX + x * cell, originY + y * cell];
    if (halo) this.#drawHalo(left, top, cell, dpr, age);
    else this.#drawnBoxes.push([Math.floor(left) - 1, Math.floor(top) - 1, Math.ceil(cell) + 3, Math.ceil(cell) + 3]);
    context.fillStyle = '#ffb84d';
    context.globalAlpha = 0.75 * (1 - age) ** 2;
    context.fillRect(left, top, cell, cell);
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {number} cell
   * @param {number} dpr
   * @param {number} age
   */
  #drawHalo(left, top, cell, dpr, age) {
    const { context } = this;
    const reach = HALO_CSS_PX * dpr + cell / 2;
    const [x, y] = [left + cell / 2 - reach, top + cell / 2 - reach];
    this.#drawnBoxes.push([Math.floor(x) - 1, Math.floor(y) - 1, Math.ceil(2 * reach) + 3, Math.ceil(2 * reach) + 3]);
    context.globalAlpha = 0.85 * (1 - age) ** 2;
    context.drawImage(this.#halo, x, y, 2 * reach, 2 * reach);
    const open = (1.5 + 7 * (1 - (1 - age) ** 3)) * dpr;
    context.lineWidth = Math.max(1, Math.round(1.25 * dpr));
    context.strokeStyle = '#d98a1f';
    context.globalAlpha = 0.9 * (1 - age) ** 1.5;
    context.strokeRect(left - open, top - open, cell + 2 * open, cell + 2 * open);
  }
}

/** Draws the halo once, for use as a sprite. */
function createHaloSprite() {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: SPRITE_PX, height: SPRITE_PX });
  const context = get2dContext(canvas);
  const middle = SPRITE_PX / 2;
  const light = context.createRadialGradient(middle, middle, 0, middle, middle, middle);
  light.addColorStop(0, 'rgb(255 190 80 / 90%)');
  light.addColorStop(0.45, 'rgb(245 160 50 / 45%)');
  light.addColorStop(1, 'rgb(235 140 30 / 0%)');
  context.fillStyle = light;
  context.fillRect(0, 0, SPRITE_PX, SPRITE_PX);
  return canvas;
}

/**
 * @param {Camera} camera
 * @param {number} x
 * @param {number} y
 */
function isVisible({ cell, originX, originY, viewWidth, viewHeight }, x, y) {
  const left = originX + x * cell;
  const top = originY + y * cell;
  return left < viewWidth && top < viewHeight && left + cell > 0 && top + cell > 0;
}
