// Draws the pixels: a hidden copy at one device pixel per cell, and the visible, enlarged part of it.

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */

// Above this many changed cells in one frame, one big copy is cheaper than many small squares.
const MANY = 4000;

/** @param {HTMLCanvasElement} canvas */
export function context(canvas) {
  const found = canvas.getContext('2d');
  if (!found) throw new Error('no 2d canvas here');
  return found;
}

export class ArtLayer {
  #copy = document.createElement('canvas');
  #copyPen = context(this.#copy);

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = context(canvas);
  }

  /** @param {CanvasState} state */
  load(state) {
    this.#copy.width = state.width;
    this.#copy.height = state.height;
    const image = this.#copyPen.createImageData(state.width, state.height);
    const colors = state.palette.map((color) => parseInt(color.hex.slice(1, 7), 16));
    state.cells.forEach((cell, i) => {
      const rgb = colors[cell] ?? 0;
      image.data[i * 4] = rgb >> 16;
      image.data[i * 4 + 1] = (rgb >> 8) & 255;
      image.data[i * 4 + 2] = rgb & 255;
      image.data[i * 4 + 3] = 255;
    });
    this.#copyPen.putImageData(image, 0, 0);
  }

  /**
   * @param {Camera} camera
   * @param {CanvasState} state
   * @param {Set<number>} changed
   */
  drawCells(camera, state, changed) {
    for (const index of changed) {
      this.#copyPen.fillStyle = state.palette[state.cells[index]]?.hex ?? '#000';
      this.#copyPen.fillRect(index % state.width, Math.floor(index / state.width), 1, 1);
    }
    // Cells of uneven size are left to the copying, which alone knows where each ends.
    if (!Number.isInteger(camera.cell) || changed.size > MANY) return this.drawAll(camera);
    for (const index of changed) this.#drawCell(camera, state, index);
  }

  /**
   * @param {Camera} camera
   * @param {CanvasState} state
   * @param {number} index
   */
  #drawCell({ cell, originX, originY }, state, index) {
    this.pen.fillStyle = state.palette[state.cells[index]]?.hex ?? '#000';
    this.pen.fillRect(originX + (index % state.width) * cell, originY + Math.floor(index / state.width) * cell, cell, cell);
  }

  /** @param {Camera} camera */
  drawAll(camera) {
    const { pen, canvas } = this;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (!this.#copy.width) return;
    // Only the cells in sight are copied: a large canvas seen from near costs no more than a small one.
    const x = Math.max(0, Math.floor(-camera.originX / camera.cell));
    const y = Math.max(0, Math.floor(-camera.originY / camera.cell));
    const width = Math.min(this.#copy.width - x, Math.ceil(canvas.width / camera.cell) + 1);
    const height = Math.min(this.#copy.height - y, Math.ceil(canvas.height / camera.cell) + 1);
    pen.imageSmoothingEnabled = camera.cell < 1;
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(this.#copy, x, y, width, height,
      camera.originX + x * camera.cell, camera.originY + y * camera.cell, width * camera.cell, height * camera.cell);
  }
}
