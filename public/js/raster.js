// Cells that are not a whole number of device pixels: each device pixel becomes the mean of what it covers, which is
// as crisp as such a size can be.

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {{data: Uint32Array, width: number, height: number}} Sheet  one 32-bit colour per pixel, row-major */

/**
 * Which cells of one axis a device pixel covers, and how much of the first and the last.
 * @param {number} pixel
 * @param {number} origin
 * @param {number} cell
 * @param {number} size
 */
function span(pixel, origin, cell, size) {
  const from = Math.max(0, (pixel - origin) / cell);
  const to = Math.min(size, (pixel + 1 - origin) / cell);
  const first = Math.min(size - 1, Math.floor(from + 1e-9));
  const last = Math.max(first, Math.min(size - 1, Math.ceil(to - 1e-9) - 1));
  return first === last
    ? { first, last, head: 1, tail: 0 }
    : { first, last, head: first + 1 - from, tail: to - last };
}

/**
 * Writes the device pixels of a box (right and bottom exclusive) of the window.
 * @param {Camera} camera
 * @param {Sheet} cells
 * @param {Sheet} out
 * @param {{left: number, top: number, right: number, bottom: number}} box
 */
export function average(camera, cells, out, box) {
  const columns = [];
  for (let px = box.left; px < box.right; px++) columns.push(span(px, camera.originX, camera.cell, cells.width));
  for (let py = box.top; py < box.bottom; py++) {
    const row = span(py, camera.originY, camera.cell, cells.height);
    let at = py * out.width + box.left;
    for (const column of columns) out.data[at++] = mean(cells, column, row);
  }
}

/**
 * @param {Sheet} cells
 * @param {ReturnType<typeof span>} column
 * @param {ReturnType<typeof span>} row
 */
function mean({ data, width }, column, row) {
  if (column.first === column.last && row.first === row.last) return data[row.first * width + column.first];
  let [red, green, blue, all] = [0, 0, 0, 0];
  for (let y = row.first; y <= row.last; y++) {
    const tall = y === row.first ? row.head : y === row.last ? row.tail : 1;
    for (let x = column.first; x <= column.last; x++) {
      const share = tall * (x === column.first ? column.head : x === column.last ? column.tail : 1);
      const color = data[y * width + x];
      red += share * (color & 255);
      green += share * (color >> 8 & 255);
      blue += share * (color >> 16 & 255);
      all += share;
    }
  }
  return (0xff000000 | Math.round(blue / all) << 16 | Math.round(green / all) << 8 | Math.round(red / all)) >>> 0;
}
