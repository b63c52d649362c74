// The shimmer where strokes come too thick to be shown one by one: a small picture of where they fall, laid softly over all.

import { context } from './paint-layer.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./camera.js').Camera} Camera */

const FADE_MS = 450;
// The light changes slowly: a third of the frames is enough.
const EVERY_MS = 48;
const BLOCKS = 96;
const FAINTEST = 0.03;
const STRONGEST = 150;
/** Bytes of blue, green and red. */
const LIGHT = 0x2f9af0;

export class Veil {
  canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'overlay', 'aria-hidden': 'true', hidden: '' }));
  #pen = context(this.canvas);
  #light = new Float32Array(0);
  #image = new ImageData(1, 1);
  #colors = new Uint32Array(1);
  #block = 1;
  #drawnAt = 0;

  get alive() {
    return !this.canvas.hidden;
  }

  /**
   * @param {Camera} camera
   * @param {number} x
   * @param {number} y
   */
  add(camera, x, y) {
    if (this.canvas.hidden) this.#rise(camera);
    this.#light[Math.floor(y / this.#block) * this.canvas.width + Math.floor(x / this.#block)] += 1;
  }

  clear() {
    this.#light.fill(0);
    this.canvas.hidden = true;
  }

  /** @param {Camera} camera */
  #rise(camera) {
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
    this.place(camera);
  }

  /** Lays it where the canvas is. @param {Camera} camera */
  place({ cell, originX, originY, dpr }) {
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
    if (this.canvas.hidden || passed < EVERY_MS) return;
    this.#drawnAt = now;
    const left = Math.exp(-Math.min(200, passed) / FADE_MS);
    let most = 0;
    for (let i = 0; i < this.#light.length; i++) {
      const light = this.#light[i] * left;
      this.#light[i] = light;
      if (light > most) most = light;
      this.#colors[i] = (STRONGEST * (1 - Math.exp(-0.45 * light)) << 24 | LIGHT) >>> 0;
    }
    if (most < FAINTEST) return this.clear();
    this.#pen.putImageData(this.#image, 0, 0);
  }
}
