// Resampling for cells that are not a whole number of device pixels: each device pixel becomes the mean of what it
// covers, which is as crisp as such a size can be.

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {{data: Uint32Array, width: number, height: number}} Bitmap  one 32-bit colour per pixel, row-major */

/** For each device pixel of an axis: the cells that it covers, and its share of the first and the last. */
class Axis {
  /**
   * @param {number} origin
   * @param {number} cell
   * @param {number} size in cells
   * @param {number} pixels
   */
  constructor(origin, cell, size, pixels) {
    this.origin = origin;
    this.cell = cell;
    this.size = size;
    this.first = new Int32Array(pixels);
    this.last = new Int32Array(pixels);
    this.head = new Float64Array(pixels);
    this.tail = new Float64Array(pixels);
    for (let pixel = 0; pixel < pixels; pixel++) this.#computeCoverage(pixel, (pixel - origin) / cell, (pixel + 1 - origin) / cell, size);
  }

  /**
   * @param {number} pixel
   * @param {number} start in cells
   * @param {number} end
   * @param {number} size
   */
  #computeCoverage(pixel, start, end, size) {
    const [from, to] = [Math.max(0, start), Math.min(size, end)];
    const first = Math.min(size - 1, Math.floor(from + 1e-9));
    const last = Math.max(first, Math.min(size - 1, Math.ceil(to - 1e-9) - 1));
    this.first[pixel] = first;
    this.last[pixel] = last;
    this.head[pixel] = first === last ? 1 : first + 1 - from;
    this.tail[pixel] = first === last ? 1 : to - last;
  }

  /**
   * @param {number} origin
   * @param {number} cell
   * @param {number} size
   * @param {number} pixels
   */
  matches(origin, cell, size, pixels) {
    return this.origin === origin && this.cell === cell && this.size === size && this.first.length === pixels;
  }
}

/**
 * Returns the axis itself if nothing has moved, otherwise a new one.
 * @param {Axis} axis
 * @param {number} origin
 * @param {number} cell
 * @param {number} size
 * @param {number} pixels
 */
const reuseAxis = (axis, origin, cell, size, pixels) => (axis.matches(origin, cell, size, pixels) ? axis : new Axis(origin, cell, size, pixels));

let across = new Axis(0, 1, 1, 0);
let down = across;

/**
 * Writes the device pixels of a box (right and bottom exclusive).
 * @param {Camera} camera
 * @param {Bitmap} cells
 * @param {Bitmap} out
 * @param {{left: number, top: number, right: number, bottom: number}} box
 */
export function resample({ originX, originY, cell }, cells, out, box) {
  across = reuseAxis(across, originX, cell, cells.width, out.width);
  down = reuseAxis(down, originY, cell, cells.height, out.height);
  for (let py = box.top; py < box.bottom; py++) averageRow(cells, out.data.subarray(py * out.width, (py + 1) * out.width), py, box);
}

/**
 * Averages one row. A million cells pass through here per frame, so it allocates nothing.
 * @param {Bitmap} cells
 * @param {Uint32Array} row
 * @param {number} py
 * @param {{left: number, right: number}} box
 */
function averageRow({ data, width }, row, py, { left, right }) {
  const { first, last, head, tail } = across;
  const top = down.first[py] * width;
  const bottom = down.last[py] * width;
  const over = down.head[py];
  const under = down.tail[py];
  for (let px = left; px < right; px++) {
    const x1 = first[px];
    const x2 = last[px];
    const color = data[top + x1];
    if (x2 - x1 < 2 && bottom - top <= width && color === data[top + x2] && color === data[bottom + x1] && color === data[bottom + x2]) {
      row[px] = color;
      continue;
    }
    let red = 0.5;
    let green = 0.5;
    let blue = 0.5;
    const before = head[px];
    const after = tail[px];
    const part = 1 / ((x1 === x2 ? 1 : before + after + x2 - x1 - 1) * (top === bottom ? 1 : over + under + (bottom - top) / width - 1));
    for (let y = top; y <= bottom; y += width) {
      const tall = y === top ? over * part : y === bottom ? under * part : part;
      for (let x = x1; x <= x2; x++) {
        const share = x === x1 ? before * tall : x === x2 ? after * tall : tall;
        const color = data[y + x];
        red += share * (color & 255);
        green += share * (color >> 8 & 255);
        blue += share * (color >> 16 & 255);
      }
    }
    row[px] = 0xff000000 | blue << 16 | green << 8 | red;
  }
}
