// The picture of a plan while it is drawn: cells with or without a colour, and the steps to undo.

import { ANY_COLOR } from './picture.js';

/** The maximum width and height of a picture. */
export const MAX_SIDE = 64;
const MAX_STEPS = 200;

/** @typedef {{width: number, height: number, cells: Uint8Array}} Picture */

export class Drawing {
  width = 1;
  height = 1;
  cells = new Uint8Array([ANY_COLOR]);
  /** @type {Picture[]} */ #earlier = [];
  /** @type {Picture[]} */ #later = [];

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  get canUndo() {
    return this.#earlier.length > 0;
  }

  get canRedo() {
    return this.#later.length > 0;
  }

  get isBlank() {
    return this.cells.every((cell) => cell === ANY_COLOR);
  }

  /** Replaces the picture and forgets all steps. @param {Picture} picture */
  load(picture) {
    this.#earlier = [];
    this.#later = [];
    this.#show(picture);
  }

  /** Begins a step, which one call of `undo` takes back. */
  beginStep() {
    this.#earlier.push(this.#copy());
    if (this.#earlier.length > MAX_STEPS) this.#earlier.shift();
    this.#later = [];
  }

  undo() {
    const picture = this.#earlier.pop();
    if (!picture) return;
    this.#later.push(this.#copy());
    this.#show(picture);
  }

  redo() {
    const picture = this.#later.pop();
    if (!picture) return;
    this.#earlier.push(this.#copy());
    this.#show(picture);
  }

  /** Replaces the picture in one step. @param {Picture} picture */
  replace(picture) {
    this.beginStep();
    this.#show(picture);
  }

  /** Clears the picture in one step. */
  clear() {
    this.replace({ width: this.width, height: this.height, cells: new Uint8Array(this.cells.length).fill(ANY_COLOR) });
  }

  /**
   * Changes the size in one step; the top left corner stays.
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    const cells = new Uint8Array(width * height).fill(ANY_COLOR);
    for (let y = 0; y < Math.min(height, this.height); y++) {
      cells.set(this.cells.subarray(y * this.width, y * this.width + Math.min(width, this.width)), y * width);
    }
    this.replace({ width, height, cells });
  }

  /**
   * @param {number} index
   * @param {number} color
   */
  set(index, color) {
    if (this.cells[index] === color) return;
    this.cells[index] = color;
    this.onChange();
  }

  /**
   * Sets the cells on a line between two cells.
   * @param {number} from
   * @param {number} to
   * @param {number} color
   */
  setLine(from, to, color) {
    const [x1, y1] = [from % this.width, Math.floor(from / this.width)];
    const [x2, y2] = [to % this.width, Math.floor(to / this.width)];
    const steps = Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1), 1);
    for (let step = 0; step <= steps; step++) {
      const at = (/** @type {number} */ first, /** @type {number} */ last) => Math.round(first + (last - first) * step / steps);
      this.set(at(y1, y2) * this.width + at(x1, x2), color);
    }
  }

  /**
   * Fills the connected cells that have the colour of this one.
   * @param {number} index
   * @param {number} color
   */
  fill(index, color) {
    const replaced = this.cells[index];
    if (replaced === color) return;
    const open = [index];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.cells[at] !== replaced) continue;
      this.cells[at] = color;
      const column = at % this.width;
      if (column > 0) open.push(at - 1);
      if (column < this.width - 1) open.push(at + 1);
      if (at >= this.width) open.push(at - this.width);
      if (at + this.width < this.cells.length) open.push(at + this.width);
    }
    this.onChange();
  }

  /** @returns {Picture} */
  #copy() {
    return { width: this.width, height: this.height, cells: this.cells.slice() };
  }

  /** @param {Picture} picture */
  #show({ width, height, cells }) {
    Object.assign(this, { width, height, cells });
    this.onChange();
  }
}
