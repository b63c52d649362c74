// A shimmer where placements are too dense to be highlighted one by one: a small, blurred bitmap of where they fall.

import { get2dContext } from './paint-layer.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./camera.js').Camera} Camera */

const FADE_MS = 450;
// The light changes slowly: every third frame is enough.
const FRAME_INTERVAL_MS = 48;
const BLOCKS = 96;
const MIN_LIGHT = 0.03;
const MAX_ALPHA = 150;
/** Blue, green and red bytes. */
const COLOR = 0x2f9af0;

export class Shimmer {
  canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'overlay', 'aria-hidden': 'true', hidden: '' }));
  #context = get2dContext(this.canvas);
  #light = new Float32Array(0);
  #image = new ImageData(1, 1);
  #colors = new Uint32Array(1);
  #block = 1;
  #drawnAt = 0;

  get isActive() {
    return !this.canvas.hidden;
  }

  /**
   * @param {Camera} camera
   * @param {number} x
   * @param {number} y
   */
  add(camera, x, y) {
    if (this.canvas.hidden) this.#start(camera);
    this.#light[Math.floor(y / this.#block) * this.canvas.width + Math.floor(x / this.#block)] += 1;
  }

  clear() {
    this.#light.fill(0);
    this.canvas.hidden = true;
  }

  /** @param {Camera} camera */
  #start(camera) {
    const { columns, rows } = camera;
    const block = Math.max(1, Math.ceil(Math.max(columns, rows) / BLOCKS));
    const [width, height] = [Math.ceil(columns / block), Math.ceil(rows / block)];
    if (this.#light.length !== width * height || this.#block !== block) {
      Object.assign(this.canvas, { width, height });
      this.#light = new Float32Array(width * height);
      this.#image = new ImageData(width, height);
      this.#colors = new Uint32Array(this.#image.data.buffer);
      this.#block = block;
    }
    this.canvas.hidden = false;
    this.reposition(camera);
  }

  /** Aligns the shimmer with the canvas. @param {Camera} camera */
  reposition({ cell, originX, originY, dpr }) {
    if (this.canvas.hidden) return;
    const size = this.#block * cell / dpr;
    const { style } = this.canvas;
    style.left = `${originX / dpr}px`;
    style.top = `${originY / dpr}px`;
    style.width = `${this.canvas.width * size}px`;
    style.height = `${this.canvas.height * size}px`;
  }

  /** @param {number} now */
  draw(now) {
    const passed = now - this.#drawnAt;
    if (this.canvas.hidden || passed < FRAME_INTERVAL_MS) return;
    this.#drawnAt = now;
    const decay = Math.exp(-Math.min(200, passed) / FADE_MS);
    let max = 0;
    for (let i = 0; i < this.#light.length; i++) {
      const light = this.#light[i] * decay;
      this.#light[i] = light;
      if (light > max) max = light;
      this.#colors[i] = (MAX_ALPHA * (1 - Math.exp(-0.45 * light)) << 24 | COLOR) >>> 0;
    }
    if (max < MIN_LIGHT) return this.clear();
    this.#context.putImageData(this.#image, 0, 0);
  }
}
