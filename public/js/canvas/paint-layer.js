// Draws the paint: a hidden copy at one pixel per cell, and the visible, enlarged part of it.

import { average } from './resample.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box  right and bottom exclusive */
/**
 * Another way to look at the canvas than its paint; one that heeds only some painters says whom.
 * @typedef {{inkOf: (index: number) => number, saw: (rows: import('../shared/types.js').PixelRow[]) => void, heeds?: (id: string) => boolean}} Lens
 */

// Above this many changed cells in one frame, one big copy is cheaper than many small squares.
const MANY = 4000;
// Above this many cells in sight at an uneven size, the browser's own scaling stands in for the exact mean.
const CROWD = 3_000_000;

/** @param {HTMLCanvasElement} canvas */
export function context(canvas) {
  const found = canvas.getContext('2d');
  if (!found) throw new Error('no 2d canvas here');
  return found;
}

/** @param {number} color as ImageData holds it */
export function css(color) {
  return `rgb(${color & 255} ${color >> 8 & 255} ${color >> 16 & 255})`;
}

export class ArtLayer {
  /** One pixel per cell. */
  copy = document.createElement('canvas');
  #copyPen = context(this.copy);
  #image = new ImageData(1, 1);
  #inks = new Uint32Array(this.#image.data.buffer);
  /** Rows of the copy that its image has overtaken. */
  #stale = { top: 0, bottom: 0 };
  #window = new ImageData(1, 1);
  /** @type {Map<number, string>} */ #names = new Map();

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = context(canvas);
  }

  /**
   * @param {CanvasState} state
   * @param {Lens | null} lens
   */
  load({ width, height, cells, inks }, lens) {
    if (this.copy.width !== width || this.copy.height !== height || this.#image.width !== width) {
      Object.assign(this.copy, { width, height });
      this.#image = new ImageData(width, height);
      this.#inks = new Uint32Array(this.#image.data.buffer);
    }
    const out = this.#inks;
    if (lens) for (let i = 0; i < cells.length; i++) out[i] = lens.inkOf(i);
    else for (let i = 0; i < cells.length; i++) out[i] = inks[cells[i]];
    this.#stale = { top: 0, bottom: height };
    this.#names.clear();
  }

  /**
   * @param {Camera} camera
   * @param {CanvasState} state
   * @param {Iterable<number>} changed
   * @param {Lens | null} lens
   * @param {boolean} later whether everything is drawn anew after this
   */
  change(camera, { width, cells, inks }, changed, lens, later) {
    const seen = [];
    for (const index of changed) {
      this.#inks[index] = lens ? lens.inkOf(index) : inks[cells[index]];
      const y = Math.floor(index / width);
      this.#spoil(y);
      if (later) continue;
      const x = index % width;
      const left = camera.originX + x * camera.cell;
      const top = camera.originY + y * camera.cell;
      if (left < camera.viewWidth && top < camera.viewHeight && left + camera.cell > 0 && top + camera.cell > 0) seen.push(index);
    }
    if (later) return;
    if (seen.length > MANY) this.drawAll(camera);
    else if (Number.isInteger(camera.cell)) this.#drawSquares(camera, seen);
    else this.#drawMeans(camera, seen);
  }

  /** @param {number} y */
  #spoil(y) {
    const { top, bottom } = this.#stale;
    this.#stale = top === bottom ? { top: y, bottom: y + 1 } : { top: Math.min(top, y), bottom: Math.max(bottom, y + 1) };
  }

  /** The copy, brought up to date. */
  refresh() {
    const { top, bottom } = this.#stale;
    if (bottom > top) this.#copyPen.putImageData(this.#image, 0, 0, 0, top, this.#image.width, bottom - top);
    this.#stale = { top: 0, bottom: 0 };
    return this.copy;
  }

  /**
   * @param {Camera} camera
   * @param {number[]} seen
   */
  #drawSquares({ cell, originX, originY, columns }, seen) {
    for (const index of seen) {
      this.pen.fillStyle = this.#nameOf(this.#inks[index]);
      this.pen.fillRect(originX + (index % columns) * cell, originY + Math.floor(index / columns) * cell, cell, cell);
    }
  }

  /** @param {number} color */
  #nameOf(color) {
    let name = this.#names.get(color);
    if (name === undefined) this.#names.set(color, name = css(color));
    return name;
  }

  /**
   * @param {Camera} camera
   * @param {number[]} seen
   */
  #drawMeans(camera, seen) {
    const { cell, originX, originY, columns } = camera;
    for (const index of seen) {
      const left = originX + (index % columns) * cell;
      const top = originY + Math.floor(index / columns) * cell;
      this.#drawBox(camera, { left: Math.floor(left), top: Math.floor(top), right: Math.ceil(left + cell), bottom: Math.ceil(top + cell) });
    }
  }

  /**
   * @param {Camera} camera
   * @param {Box} wanted
   */
  #drawBox(camera, wanted) {
    const { width, height } = this.canvas;
    const box = { left: Math.max(0, wanted.left), top: Math.max(0, wanted.top), right: Math.min(width, wanted.right), bottom: Math.min(height, wanted.bottom) };
    if (box.left >= box.right || box.top >= box.bottom) return;
    if (this.#window.width !== width || this.#window.height !== height) this.#window = new ImageData(width, height);
    const out = { data: new Uint32Array(this.#window.data.buffer), width, height };
    average(camera, { data: this.#inks, width: this.copy.width, height: this.copy.height }, out, box);
    this.pen.putImageData(this.#window, 0, 0, box.left, box.top, box.right - box.left, box.bottom - box.top);
  }

  /** @param {Camera} camera */
  drawAll(camera) {
    const { pen, canvas, copy } = this;
    if (this.#inks.length < 2) return;
    // Only the cells in sight are copied: a large canvas seen from near costs no more than a small one.
    const x = Math.max(0, Math.floor(-camera.originX / camera.cell));
    const y = Math.max(0, Math.floor(-camera.originY / camera.cell));
    const width = Math.min(copy.width - x, Math.ceil(canvas.width / camera.cell) + 1);
    const height = Math.min(copy.height - y, Math.ceil(canvas.height / camera.cell) + 1);
    const whole = Number.isInteger(camera.cell);
    if (!whole && width * height < CROWD) return this.#drawBox(camera, { left: 0, top: 0, right: canvas.width, bottom: canvas.height });
    pen.imageSmoothingEnabled = !whole;
    pen.imageSmoothingQuality = 'medium';
    pen.drawImage(this.refresh(), x, y, width, height,
      camera.originX + x * camera.cell, camera.originY + y * camera.cell, width * camera.cell, height * camera.cell);
  }
}
