// The canvas as numbers: one palette index per pixel, live and as shown.

/** @typedef {import('../shared/types.js').Color} Color */

const DIGITS = '0123456789abcdef';

export class CanvasState {
  width = 128;
  height = 128;
  /** @type {Color[]} */ palette = [];
  /** The palette in the byte order of ImageData on little-endian machines: alpha, blue, green, red. */
  paletteColors = new Uint32Array(0);
  /** The cells that are shown. @type {Uint8Array} */
  cells = new Uint8Array(0);
  /** The sequence number of the past moment that is shown; `null` while the live canvas is shown. @type {number | null} */
  shownSeq = null;
  /** The time of that moment in milliseconds; `null` while the live canvas is shown. @type {number | null} */
  shownTime = null;
  #liveCells = this.cells;
  /** The colours of the cells that were loaded last, if a worker has computed them. @type {Uint32Array<ArrayBuffer> | null} */ #loadedPixels = null;

  /**
   * Takes the size of the canvas from the rendered page, so that its place is laid out before it is loaded.
   * @param {DOMStringMap} dataset of the frame
   */
  reserve({ columns, rows }) {
    if (columns && rows) Object.assign(this, { width: Number(columns), height: Number(rows) });
  }

  /** @param {import('../shared/types.js').CanvasBody} body */
  load(body) {
    const { width, height } = body;
    const isPastShown = this.cells !== this.#liveCells && width === this.width && height === this.height;
    this.palette = [...body.palette].sort((a, b) => a.index - b.index);
    this.paletteColors = toPaletteColors(body.palette);
    Object.assign(this, { width, height });
    this.#liveCells = readCells(body);
    if (isPastShown) return;
    this.cells = this.#liveCells;
    this.#loadedPixels = body.pixels ?? null;
  }

  /** Returns the colours of the shown cells if they are at hand from loading; only once, because placements change them. */
  takeLoadedPixels() {
    const pixels = this.#loadedPixels;
    this.#loadedPixels = null;
    return pixels;
  }

  /** The live cells, which are kept up to date while a past moment is shown. */
  get liveCells() {
    return this.#liveCells;
  }

  /**
   * Shows these cells; `null` shows the live cells again, which were kept up to date.
   * @param {Uint8Array | null} cells
   */
  showCells(cells) {
    this.#loadedPixels = null;
    this.cells = cells ?? this.#liveCells;
  }

  /**
   * Applies a live placement. It is visible unless a past moment is shown.
   * @param {number} x
   * @param {number} y
   * @param {number} color
   */
  setLive(x, y, color) {
    if (this.contains(x, y)) this.#liveCells[y * this.width + x] = color;
  }

  /**
   * Applies a placement to the shown cells.
   * @param {number} x
   * @param {number} y
   * @param {number} color
   * @returns {number} the cell's index, or -1 outside the canvas
   */
  setShown(x, y, color) {
    if (!this.contains(x, y)) return -1;
    const index = y * this.width + x;
    this.cells[index] = color;
    if (this.#loadedPixels) this.#loadedPixels[index] = this.paletteColors[color];
    return index;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  contains(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  colorAt(x, y) {
    return this.palette[this.cells[y * this.width + x]];
  }
}

/** @param {number} rgb */
export function toPixel(rgb) {
  return (0xff000000 | (rgb & 255) << 16 | (rgb & 0xff00) | rgb >> 16) >>> 0;
}

/**
 * Returns the palette in the byte order of ImageData.
 * @param {Color[]} palette
 */
export function toPaletteColors(palette) {
  const colors = new Uint32Array(palette.length);
  for (const { index, hex } of palette) colors[index] = toPixel(parseInt(hex.slice(1, 7), 16));
  return colors;
}

/** Returns the cells of a canvas, from its rows unless they are decoded already. @param {import('../shared/types.js').CanvasBody} body */
export function readCells({ width, height, rows, cells: decoded }) {
  if (decoded) return decoded;
  const values = new Uint8Array(128);
  for (let digit = 0; digit < DIGITS.length; digit++) values[DIGITS.charCodeAt(digit)] = digit;
  const cells = new Uint8Array(width * height);
  let at = 0;
  for (const row of rows) for (let x = 0; x < width; x++) cells[at++] = values[row.charCodeAt(x)];
  return cells;
}

/**
 * Writes the colour of each cell.
 * @param {Uint32Array} pixels
 * @param {Uint8Array} cells
 * @param {Uint32Array} paletteColors
 */
export function paintCells(pixels, cells, paletteColors) {
  for (let i = 0; i < cells.length; i++) pixels[i] = paletteColors[cells[i]];
}
