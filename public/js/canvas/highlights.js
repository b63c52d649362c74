// The light of new strokes: wet paint and sparks while they are few, a shimmer where they are many; always bounded work.

import { context } from './paint-layer.js';
import { el } from '../shared/dom.js';
import { Veil } from './shimmer.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {{x: number, y: number, at: number, halo: boolean}} Spark */

const SPARK_MS = 1500;
const PER_SECOND = 160;
const AT_ONCE = 120;
// A run of strokes by one hand has one light around it, not one for each.
const RUN_MS = 350;
const RUN_CELLS = 6;
const HALOS_AT_ONCE = 40;
const REACH_CSS_PX = 15;
const SPRITE_PX = 64;

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Sparks {
  /** @type {Spark[]} */ #sparks = [];
  #allowance = AT_ONCE;
  #allowedAt = 0;
  #halo = sprite();
  /** @type {[number, number, number, number][]} */ #lit = [];

  canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'overlay', 'aria-hidden': 'true' }));
  pen = context(this.canvas);
  veil = new Veil();

  get alive() {
    return this.#sparks.length > 0 || this.veil.alive;
  }

  /**
   * A stroke at a cell in sight.
   * @param {Camera} camera
   * @param {number} x
   * @param {number} y
   * @param {number} now
   */
  add(camera, x, y, now) {
    if (still.matches || !inSight(camera, x, y)) return;
    this.#allowance = Math.min(AT_ONCE, this.#allowance + Math.max(0, now - this.#allowedAt) * PER_SECOND / 1000);
    this.#allowedAt = now;
    if (this.#allowance < 1) return this.veil.add(camera, x, y);
    this.#allowance--;
    this.#sparks.push({ x, y, at: now, halo: this.#leads(x, y, now) });
  }

  /**
   * Whether a stroke is the first of its run, and not one too many.
   * @param {number} x
   * @param {number} y
   * @param {number} now
   */
  #leads(x, y, now) {
    let halos = 0;
    for (const spark of this.#sparks) {
      if (!spark.halo) continue;
      if (++halos >= HALOS_AT_ONCE) return false;
      if (now - spark.at < RUN_MS && Math.abs(spark.x - x) <= RUN_CELLS && Math.abs(spark.y - y) <= RUN_CELLS) return false;
    }
    return true;
  }

  /** Forgets all light: another moment is shown. */
  clear() {
    this.#sparks = [];
    this.veil.clear();
  }

  /**
   * @param {Camera} camera
   * @param {number} now
   */
  draw(camera, now) {
    this.#darken();
    this.veil.draw(now);
    this.#sparks = this.#sparks.filter((spark) => now - spark.at < SPARK_MS);
    for (const spark of this.#sparks) this.#drawSpark(camera, spark, Math.max(0, now - spark.at) / SPARK_MS);
    this.pen.globalAlpha = 1;
  }

  /** Takes away what was lit in the last frame, and nothing else. */
  #darken() {
    for (const box of this.#lit) this.pen.clearRect(...box);
    this.#lit = [];
  }

  /**
   * Wet paint that dries; around the first of a run, a square that opens and goes out in a soft light.
   * @param {Camera} camera
   * @param {Spark} spark
   * @param {number} age 0 to 1
   */
  #drawSpark({ cell, originX, originY, dpr }, { x, y, halo }, age) {
    const { pen } = this;
    const [left, top] = [originX + x * cell, originY + y * cell];
    if (halo) this.#drawHalo(left, top, cell, dpr, age);
    else this.#lit.push([Math.floor(left) - 1, Math.floor(top) - 1, Math.ceil(cell) + 3, Math.ceil(cell) + 3]);
    pen.fillStyle = '#ffb84d';
    pen.globalAlpha = 0.75 * (1 - age) ** 2;
    pen.fillRect(left, top, cell, cell);
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {number} cell
   * @param {number} dpr
   * @param {number} age
   */
  #drawHalo(left, top, cell, dpr, age) {
    const { pen } = this;
    const reach = REACH_CSS_PX * dpr + cell / 2;
    const [x, y] = [left + cell / 2 - reach, top + cell / 2 - reach];
    this.#lit.push([Math.floor(x) - 1, Math.floor(y) - 1, Math.ceil(2 * reach) + 3, Math.ceil(2 * reach) + 3]);
    pen.globalAlpha = 0.85 * (1 - age) ** 2;
    pen.drawImage(this.#halo, x, y, 2 * reach, 2 * reach);
    const open = (1.5 + 7 * (1 - (1 - age) ** 3)) * dpr;
    pen.lineWidth = Math.max(1, Math.round(1.25 * dpr));
    pen.strokeStyle = '#d98a1f';
    pen.globalAlpha = 0.9 * (1 - age) ** 1.5;
    pen.strokeRect(left - open, top - open, cell + 2 * open, cell + 2 * open);
  }
}

/** A round, soft light, drawn once. */
function sprite() {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: SPRITE_PX, height: SPRITE_PX });
  const pen = context(canvas);
  const middle = SPRITE_PX / 2;
  const light = pen.createRadialGradient(middle, middle, 0, middle, middle, middle);
  light.addColorStop(0, 'rgb(255 190 80 / 90%)');
  light.addColorStop(0.45, 'rgb(245 160 50 / 45%)');
  light.addColorStop(1, 'rgb(235 140 30 / 0%)');
  pen.fillStyle = light;
  pen.fillRect(0, 0, SPRITE_PX, SPRITE_PX);
  return canvas;
}

/**
 * @param {Camera} camera
 * @param {number} x
 * @param {number} y
 */
function inSight({ cell, originX, originY, viewWidth, viewHeight }, x, y) {
  const left = originX + x * cell;
  const top = originY + y * cell;
  return left < viewWidth && top < viewHeight && left + cell > 0 && top + cell > 0;
}
