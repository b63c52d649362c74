// Pictures of plans: rows of text as cells, and cells on a canvas element.

/** The value of a cell to leave as it is. */
export const ANY_COLOR = 255;
const DIGITS = '0123456789abcdef';
/** The longer side of a drawn picture, in image pixels. */
const IMAGE_SIDE = 768;
const LIGHT = '#fff';
const DARK = '#000';

/** @param {string[]} rows @returns {Uint8Array} */
export function parseRows(rows) {
  return Uint8Array.from(rows.join(''), (digit) => (digit === '.' ? ANY_COLOR : DIGITS.indexOf(digit)));
}

/**
 * @param {Uint8Array} cells
 * @param {number} width
 */
export function formatRows(cells, width) {
  const digits = Array.from(cells, (cell) => DIGITS[cell] ?? '.').join('');
  return Array.from({ length: cells.length / width }, (_, row) => digits.slice(row * width, (row + 1) * width));
}

/** Draws cells of a palette on a canvas element, each as a square of several image pixels. */
export class CellPainter {
  /** @type {string[]} */ colors = [];
  side = 1;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  }

  /** @param {import('../shared/types.js').Color[]} palette */
  setPalette(palette) {
    for (const { index, hex } of palette) this.colors[index] = hex;
  }

  /**
   * Sets the size in cells, and clears the picture.
   * @param {number} width
   * @param {number} height
   */
  setSize(width, height) {
    this.width = width;
    this.side = Math.max(4, Math.floor(IMAGE_SIDE / Math.max(width, height)));
    this.canvas.width = width * this.side;
    this.canvas.height = height * this.side;
    // The pattern of empty cells: two of its squares in both directions.
    this.canvas.style.backgroundSize = `${200 / width}% ${200 / height}%`;
  }

  clear() {
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /**
   * Fills the cells that have a colour.
   * @param {Uint8Array} cells
   * @param {number} [opacity]
   */
  fill(cells, opacity = 1) {
    this.context.globalAlpha = opacity;
    cells.forEach((cell, index) => {
      if (cell === ANY_COLOR) return;
      this.context.fillStyle = this.colors[cell] ?? DARK;
      this.context.fillRect(...this.#corner(index), this.side, this.side);
    });
    this.context.globalAlpha = 1;
  }

  /**
   * Draws a small square of a wanted colour inside a cell.
   * @param {number} index
   * @param {number} cell
   */
  markWanted(index, cell) {
    const [left, top] = this.#corner(index);
    const inset = Math.round(this.side * 0.3);
    const size = this.side - 2 * inset;
    this.#outline(left + inset, top + inset, size);
    this.context.fillStyle = this.colors[cell] ?? DARK;
    this.context.fillRect(left + inset, top + inset, size, size);
  }

  /** Draws a cross over a damaged cell. @param {number} index */
  markDamaged(index) {
    const [left, top] = this.#corner(index);
    const [near, far] = [this.side * 0.15, this.side * 0.85];
    for (const [color, width] of /** @type {[string, number][]} */ ([[DARK, 0.3], [LIGHT, 0.14]])) {
      this.context.strokeStyle = color;
      this.context.lineWidth = Math.max(1, this.side * width);
      this.context.beginPath();
      this.context.moveTo(left + near, top + near);
      this.context.lineTo(left + far, top + far);
      this.context.moveTo(left + far, top + near);
      this.context.lineTo(left + near, top + far);
      this.context.stroke();
    }
  }

  /** Draws the outline of the cell under the pointer. @param {number} index */
  markCurrent(index) {
    const [left, top] = this.#corner(index);
    this.#outline(left + 1, top + 1, this.side - 2);
  }

  /**
   * Draws a light and a dark line around a square, which can be seen on every colour.
   * @param {number} left
   * @param {number} top
   * @param {number} size
   */
  #outline(left, top, size) {
    const width = Math.max(1, Math.round(this.side / 12));
    this.context.lineWidth = width;
    this.context.strokeStyle = DARK;
    this.context.strokeRect(left - width / 2, top - width / 2, size + width, size + width);
    this.context.strokeStyle = LIGHT;
    this.context.strokeRect(left + width / 2, top + width / 2, size - width, size - width);
  }

  /** @param {number} index @returns {[number, number]} */
  #corner(index) {
    const width = this.width ?? 1;
    return [(index % width) * this.side, Math.floor(index / width) * this.side];
  }
}
