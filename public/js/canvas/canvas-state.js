// The canvas as numbers: one palette index per pixel, as it is now and as it is shown.

/** @typedef {import('../shared/types.js').Color} Color */

const DIGITS = '0123456789abcdef';

export class CanvasState {
  width = 128;
  height = 128;
  /** @type {Color[]} */ palette = [];
  /** The palette as ImageData holds it, a byte each of alpha, blue, green and red. */
  inks = new Uint32Array(0);
  /** What is shown. @type {Uint8Array} */
  cells = new Uint8Array(0);
  /** The number of the moment that is shown, null while that is now. @type {number | null} */
  moment = null;
  #now = this.cells;

  /** @param {import('../shared/types.js').CanvasBody} body */
  load(body) {
    const { width, height } = body;
    const past = this.cells !== this.#now && width === this.width && height === this.height;
    this.palette = [...body.palette].sort((a, b) => a.index - b.index);
    this.inks = Uint32Array.from(this.palette, ({ hex }) => ink(parseInt(hex.slice(1, 7), 16)));
    Object.assign(this, { width, height });
    this.#now = readCells(body);
    if (!past) this.cells = this.#now;
  }

  /**
   * Shows another moment; null shows now again, which was kept up to date meanwhile.
   * @param {Uint8Array | null} cells
   */
  replace(cells) {
    this.cells = cells ?? this.#now;
  }

  /**
   * A stroke of now; it shows unless another moment does.
   * @param {number} x
   * @param {number} y
   * @param {number} color
   */
  keep(x, y, color) {
    if (this.has(x, y)) this.#now[y * this.width + x] = color;
  }

  /**
   * A stroke of the moment that is shown.
   * @param {number} x
   * @param {number} y
   * @param {number} color
   * @returns {number} the cell's index, or -1 outside the canvas
   */
  set(x, y, color) {
    if (!this.has(x, y)) return -1;
    const index = y * this.width + x;
    this.cells[index] = color;
    return index;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  has(x, y) {
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
export function ink(rgb) {
  return (0xff000000 | (rgb & 255) << 16 | (rgb & 0xff00) | rgb >> 16) >>> 0;
}

/** @param {import('../shared/types.js').CanvasBody} body */
export function readCells({ width, height, rows }) {
  const values = new Uint8Array(128);
  for (let digit = 0; digit < DIGITS.length; digit++) values[DIGITS.charCodeAt(digit)] = digit;
  const cells = new Uint8Array(width * height);
  let at = 0;
  for (const row of rows) for (let x = 0; x < width; x++) cells[at++] = values[row.charCodeAt(x)];
  return cells;
}
