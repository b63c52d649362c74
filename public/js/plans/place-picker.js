// The place of a plan on the canvas: four numbers, and a small picture of the canvas to point at.

import { CanvasState } from '../canvas/canvas-state.js';
import { getCanvas } from '../shared/api.js';
import { byId } from '../shared/dom.js';
import { MAX_SIDE } from './drawing.js';

/** @typedef {import('./types.js').Area} Area */

const REFRESH_MS = 30000;
const DEFAULT_SIDE = 24;

export class PlacePicker {
  #state = new CanvasState();
  #overview = /** @type {HTMLCanvasElement} */ (byId('overview'));
  #inputs = ['x', 'y', 'width', 'height'].map((name) => /** @type {HTMLInputElement} */ (byId(`plan-${name}`)));
  /** @type {Area} */ area = { x: 0, y: 0, width: DEFAULT_SIDE, height: DEFAULT_SIDE };

  /**
   * @param {(area: Area) => void} onChange called when the visitor has chosen another place or size
   * @param {() => void} onCanvas called when a newer canvas is loaded
   */
  constructor(onChange, onCanvas) {
    this.onChange = onChange;
    this.onCanvas = onCanvas;
    for (const input of this.#inputs) input.addEventListener('change', () => this.#readInputs());
    this.#overview.addEventListener('pointerdown', (event) => {
      this.#overview.setPointerCapture(event.pointerId);
      this.#centerAt(event);
    });
    this.#overview.addEventListener('pointermove', (event) => { if (event.buttons) this.#centerAt(event); });
    setInterval(() => { if (!document.hidden) void this.refresh(); }, REFRESH_MS);
  }

  get palette() {
    return this.#state.palette;
  }

  /** Loads the canvas as it is now. Returns whether it has arrived. */
  async refresh() {
    const body = await getCanvas().catch(() => null);
    if (!body) return false;
    this.#state.load(body);
    this.set(this.area);
    this.onCanvas();
    return true;
  }

  /** The middle of the canvas, as a place for a new plan. @returns {Area} */
  get middle() {
    const [width, height] = [Math.min(DEFAULT_SIDE, this.#state.width), Math.min(DEFAULT_SIDE, this.#state.height)];
    return { x: Math.floor((this.#state.width - width) / 2), y: Math.floor((this.#state.height - height) / 2), width, height };
  }

  /** The size of the canvas. */
  get limit() {
    return { width: this.#state.width, height: this.#state.height };
  }

  /** The cells of the canvas under the plan. */
  get cells() {
    const { x, y, width, height } = this.area;
    const cells = new Uint8Array(width * height);
    for (let row = 0; row < height; row++) {
      const start = (y + row) * this.#state.width + x;
      cells.set(this.#state.cells.subarray(start, start + width), row * width);
    }
    return cells;
  }

  /** Shows a place, moved and cut so that it lies on the canvas. @param {Area} wanted */
  set(wanted) {
    const limit = (/** @type {number} */ value, /** @type {number} */ least, /** @type {number} */ most) => Math.min(most, Math.max(least, Math.round(value) || 0));
    const width = limit(wanted.width, 1, Math.min(MAX_SIDE, this.#state.width));
    const height = limit(wanted.height, 1, Math.min(MAX_SIDE, this.#state.height));
    this.area = { x: limit(wanted.x, 0, this.#state.width - width), y: limit(wanted.y, 0, this.#state.height - height), width, height };
    const { x, y } = this.area;
    [x, y, width, height].forEach((value, index) => { this.#inputs[index].value = String(value); });
    this.#inputs[0].max = String(this.#state.width - width);
    this.#inputs[1].max = String(this.#state.height - height);
    this.#draw();
  }

  #readInputs() {
    const [x, y, width, height] = this.#inputs.map((input) => Number(input.value));
    this.set({ x, y, width, height });
    this.onChange(this.area);
  }

  /** @param {PointerEvent} event */
  #centerAt({ clientX, clientY }) {
    const { left, top, width, height } = this.#overview.getBoundingClientRect();
    const x = (clientX - left) / width * this.#state.width - this.area.width / 2;
    const y = (clientY - top) / height * this.#state.height - this.area.height / 2;
    this.set({ ...this.area, x, y });
    this.onChange(this.area);
  }

  #draw() {
    const { width, height, cells, paletteColors } = this.#state;
    if (!cells.length) return;
    const scale = Math.max(1, Math.floor(512 / Math.max(width, height)));
    const image = new ImageData(width, height);
    new Uint32Array(image.data.buffer).set(Uint32Array.from(cells, (cell) => paletteColors[cell]));
    const source = new OffscreenCanvas(width, height);
    source.getContext('2d')?.putImageData(image, 0, 0);
    Object.assign(this.#overview, { width: width * scale, height: height * scale });
    const context = /** @type {CanvasRenderingContext2D} */ (this.#overview.getContext('2d'));
    context.imageSmoothingEnabled = false;
    context.drawImage(source, 0, 0, width * scale, height * scale);
    const { x, y, width: columns, height: rows } = this.area;
    for (const [color, inset] of /** @type {[string, number][]} */ ([['#000', -1], ['#fff', 1]])) {
      context.strokeStyle = color;
      context.lineWidth = 2;
      context.strokeRect(x * scale + inset, y * scale + inset, columns * scale - 2 * inset, rows * scale - 2 * inset);
    }
  }
}
