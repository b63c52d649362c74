// The canvas as numbers: one palette index per pixel.

export class CanvasState {
  width = 128;
  height = 128;
  /** @type {import('./types.js').Color[]} */ palette = [];
  cells = new Uint8Array(0);

  /** @param {import('./types.js').CanvasBody} body */
  load(body) {
    this.width = body.width;
    this.height = body.height;
    this.palette = [...body.palette].sort((a, b) => a.index - b.index);
    this.cells = new Uint8Array(body.width * body.height);
    body.rows.forEach((row, y) => this.#loadRow(row, y * body.width));
  }

  /**
   * @param {string} row
   * @param {number} start
   */
  #loadRow(row, start) {
    for (let x = 0; x < this.width; x++) this.cells[start + x] = parseInt(row[x], 16);
  }

  /**
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
