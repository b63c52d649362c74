// Draws the paint: a hidden bitmap at one pixel per cell, and the visible, enlarged part of it.

import { paintCells } from './canvas-state.js';
import { resample } from './resample.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box  right and bottom exclusive */
/**
 * Computes each cell's colour in place of the paint; `shouldHighlight` limits highlights to some agents.
 * @typedef {{colorAt: (index: number) => number, applyPlacements: (rows: import('../shared/types.js').PixelRow[]) => void, shouldHighlight?: (id: string) => boolean}} Lens
 */

// Above this number of changed cells per frame, one big copy is cheaper than many small squares.
const FULL_REDRAW_CELLS = 4000;
// Above this number of visible cells at a fractional size, the browser's scaling comes first, and the exact mean
// follows in bands while nothing moves.
const MAX_RESAMPLED_AT_ONCE = 200_000;
const BAND_CELLS = 150_000;
// Above this number, there is no exact mean.
const MAX_RESAMPLED_CELLS = 3_000_000;

/** @param {HTMLCanvasElement} canvas */
export function get2dContext(canvas) {
  const found = canvas.getContext('2d');
  if (!found) throw new Error('no 2d canvas here');
  return found;
}

/** Converts a colour to CSS. @param {number} color in the byte order of ImageData */
export function toCss(color) {
  return `rgb(${color & 255} ${color >> 8 & 255} ${color >> 16 & 255})`;
}

export class PaintLayer {
  /** The canvas at one pixel per cell. */
  bitmap = document.createElement('canvas');
  #bitmapContext = get2dContext(this.bitmap);
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(this.#image.data.buffer);
  /** Rows in which the image is newer than the bitmap. */
  #dirtyRows = { top: 0, bottom: 0 };
  #output = new ImageData(1, 1);
  /** The first row of device pixels that awaits its exact colours; `null` if all have them. @type {number | null} */ #roughFrom = null;
  /** @type {Map<number, string>} */ #cssColors = new Map();

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = get2dContext(canvas);
  }

  /**
   * @param {CanvasState} state
   * @param {Lens | null} lens
   */
  load(state, lens) {
    const { width, height, cells, paletteColors } = state;
    const loaded = state.takeLoadedPixels();
    if (this.bitmap.width !== width || this.bitmap.height !== height) Object.assign(this.bitmap, { width, height });
    if (loaded || this.#pixels.length !== width * height || this.#image.width !== width) {
      this.#pixels = loaded ?? new Uint32Array(width * height);
      this.#image = new ImageData(new Uint8ClampedArray(this.#pixels.buffer), width, height);
    }
    const out = this.#pixels;
    if (lens) for (let i = 0; i < cells.length; i++) out[i] = lens.colorAt(i);
    else if (!loaded) paintCells(out, cells, paletteColors);
    this.#dirtyRows = { top: 0, bottom: height };
    this.#cssColors.clear();
  }

  /**
   * Draws the cells that changed.
   * @param {Camera} camera
   * @param {CanvasState} state
   * @param {Iterable<number>} changed
   * @param {Lens | null} lens
   * @param {boolean} redrawsAll whether everything is redrawn after this
   */
  drawChanges(camera, { width, cells, paletteColors }, changed, lens, redrawsAll) {
    const visible = [];
    for (const index of changed) {
      this.#pixels[index] = lens ? lens.colorAt(index) : paletteColors[cells[index]];
      const y = Math.floor(index / width);
      this.#markRowDirty(y);
      if (redrawsAll) continue;
      const x = index % width;
      const left = camera.originX + x * camera.cell;
      const top = camera.originY + y * camera.cell;
      if (left < camera.viewWidth && top < camera.viewHeight && left + camera.cell > 0 && top + camera.cell > 0) visible.push(index);
    }
    if (redrawsAll) return;
    if (visible.length > FULL_REDRAW_CELLS) this.drawAll(camera);
    else if (Number.isInteger(camera.cell)) this.#drawSquares(camera, visible);
    else this.#drawResampled(camera, visible);
  }

  /** @param {number} y */
  #markRowDirty(y) {
    const { top, bottom } = this.#dirtyRows;
    this.#dirtyRows = top === bottom ? { top: y, bottom: y + 1 } : { top: Math.min(top, y), bottom: Math.max(bottom, y + 1) };
  }

  /** Brings the bitmap up to date and returns it. */
  updateBitmap() {
    const { top, bottom } = this.#dirtyRows;
    if (bottom > top) this.#bitmapContext.putImageData(this.#image, 0, 0, 0, top, this.#image.width, bottom - top);
    this.#dirtyRows = { top: 0, bottom: 0 };
    return this.bitmap;
  }

  /**
   * @param {Camera} camera
   * @param {number[]} visible
   */
  #drawSquares({ cell, originX, originY, columns }, visible) {
    for (const index of visible) {
      this.context.fillStyle = this.#cssColor(this.#pixels[index]);
      this.context.fillRect(originX + (index % columns) * cell, originY + Math.floor(index / columns) * cell, cell, cell);
    }
  }

  /** @param {number} color */
  #cssColor(color) {
    let name = this.#cssColors.get(color);
    if (name === undefined) this.#cssColors.set(color, name = toCss(color));
    return name;
  }

  /**
   * @param {Camera} camera
   * @param {number[]} visible
   */
  #drawResampled(camera, visible) {
    const { cell, originX, originY, columns } = camera;
    for (const index of visible) {
      const left = originX + (index % columns) * cell;
      const top = originY + Math.floor(index / columns) * cell;
      this.#drawBox(camera, { left: Math.floor(left), top: Math.floor(top), right: Math.ceil(left + cell), bottom: Math.ceil(top + cell) });
    }
  }

  /**
   * @param {Camera} camera
   * @param {Box} requested
   */
  #drawBox(camera, requested) {
    const { width, height } = this.canvas;
    const box = { left: Math.max(0, requested.left), top: Math.max(0, requested.top), right: Math.min(width, requested.right), bottom: Math.min(height, requested.bottom) };
    if (box.left >= box.right || box.top >= box.bottom) return;
    if (this.#output.width !== width || this.#output.height !== height) this.#output = new ImageData(width, height);
    const out = { data: new Uint32Array(this.#output.data.buffer), width, height };
    resample(camera, { data: this.#pixels, width: this.bitmap.width, height: this.bitmap.height }, out, box);
    this.context.putImageData(this.#output, 0, 0, box.left, box.top, box.right - box.left, box.bottom - box.top);
  }

  /** @param {Camera} camera */
  drawAll(camera) {
    const { context, canvas, bitmap } = this;
    this.#roughFrom = null;
    if (this.#pixels.length < 2) return;
    // Only the visible cells are copied, so the cost does not grow with the canvas.
    const x = Math.max(0, Math.floor(-camera.originX / camera.cell));
    const y = Math.max(0, Math.floor(-camera.originY / camera.cell));
    const width = Math.min(bitmap.width - x, Math.ceil(canvas.width / camera.cell) + 1);
    const height = Math.min(bitmap.height - y, Math.ceil(canvas.height / camera.cell) + 1);
    const isCellWhole = Number.isInteger(camera.cell);
    if (!isCellWhole && width * height < MAX_RESAMPLED_AT_ONCE) return this.#drawBox(camera, { left: 0, top: 0, right: canvas.width, bottom: canvas.height });
    if (!isCellWhole && width * height < MAX_RESAMPLED_CELLS) this.#roughFrom = 0;
    context.imageSmoothingEnabled = !isCellWhole;
    context.imageSmoothingQuality = this.isRough ? 'low' : 'medium';
    context.drawImage(this.updateBitmap(), x, y, width, height,
      camera.originX + x * camera.cell, camera.originY + y * camera.cell, width * camera.cell, height * camera.cell);
  }

  /** Whether a part of what is shown awaits its exact colours. */
  get isRough() {
    return this.#roughFrom !== null;
  }

  /** Draws the next rows in their exact colours. @param {Camera} camera */
  drawExactBand(camera) {
    if (this.#roughFrom === null) return;
    const { width, height } = this.canvas;
    const top = this.#roughFrom;
    const bottom = Math.min(height, top + Math.ceil(BAND_CELLS * camera.cell ** 2 / width));
    this.#drawBox(camera, { left: 0, top, right: width, bottom });
    this.#roughFrom = bottom < height ? bottom : null;
  }
}
