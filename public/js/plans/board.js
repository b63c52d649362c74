// The board on which a plan is drawn: by mouse, by touch, and by keyboard with spoken colours.

import { ANY_COLOR, CellPainter } from './picture.js';

/** @typedef {import('./drawing.js').Drawing} Drawing */
/** @typedef {'pencil' | 'eraser' | 'fill' | 'hand'} Tool */

/**
 * @typedef {object} BoardTargets
 * @property {() => Tool} tool
 * @property {() => number} color
 * @property {(color: number) => void} chooseColor
 * @property {(text: string) => void} say announces a cell to screen readers
 * @property {() => {x: number, y: number}} origin the place of the top left cell on the canvas
 */

/** The opacity of the canvas under cells to leave as they are. */
const BACKGROUND_OPACITY = 0.3;
const FAST_STEP = 8;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  /** The canvas under the picture. @type {Uint8Array} */ #background = new Uint8Array(0);
  /** @type {string[]} */ #names = [];
  #painter;
  /** The cell of the keyboard. */ #cursor = 0;
  /** The last cell of the stroke that is being drawn; `null` without one. @type {number | null} */ #last = null;
  #frame = 0;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Drawing} drawing
   * @param {BoardTargets} targets
   */
  constructor(canvas, drawing, targets) {
    this.canvas = canvas;
    this.drawing = drawing;
    this.targets = targets;
    this.#painter = new CellPainter(canvas);
    canvas.addEventListener('pointerdown', (event) => this.#startStroke(event));
    canvas.addEventListener('pointermove', (event) => this.#continueStroke(event));
    for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, () => { this.#last = null; });
    canvas.addEventListener('keydown', (event) => this.#handleKey(event));
    canvas.addEventListener('focus', () => this.#describe());
    for (const kind of ['focus', 'blur']) canvas.addEventListener(kind, () => this.draw());
  }

  /** @param {import('../shared/types.js').Color[]} palette */
  setPalette(palette) {
    this.#painter.setPalette(palette);
    for (const { index, name } of palette) this.#names[index] = name;
    this.draw();
  }

  /** @param {Uint8Array} cells */
  setBackground(cells) {
    this.#background = cells;
    this.draw();
  }

  /** Draws the picture before the next frame. */
  draw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint() {
    const { width, height, cells } = this.drawing;
    this.#cursor = Math.min(this.#cursor, cells.length - 1);
    this.#painter.setSize(width, height);
    if (this.#background.length === cells.length) this.#painter.fill(this.#background, BACKGROUND_OPACITY);
    this.#painter.fill(cells);
    if (document.activeElement === this.canvas && this.canvas.matches(':focus-visible')) this.#painter.markCurrent(this.#cursor);
  }

  /** @param {PointerEvent} event */
  #startStroke(event) {
    if (event.button !== 0 || this.targets.tool() === 'hand') return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drawing.beginStep();
    this.#last = this.#cellAt(event);
    this.#cursor = this.#last;
    this.#apply(this.#last);
  }

  /** @param {PointerEvent} event */
  #continueStroke(event) {
    if (this.#last === null || this.targets.tool() === 'fill') return;
    const cell = this.#cellAt(event);
    this.drawing.setLine(this.#last, cell, this.#color);
    this.#last = cell;
    this.#cursor = cell;
  }

  /** @param {PointerEvent} event */
  #cellAt({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const place = (/** @type {number} */ at, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, Math.floor(at * count)));
    return place((clientY - top) / height, this.drawing.height) * this.drawing.width + place((clientX - left) / width, this.drawing.width);
  }

  get #color() {
    return this.targets.tool() === 'eraser' ? ANY_COLOR : this.targets.color();
  }

  /** @param {number} index */
  #apply(index) {
    if (this.targets.tool() === 'fill') this.drawing.fill(index, this.targets.color());
    else this.drawing.set(index, this.#color);
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.altKey) return;
    if (event.ctrlKey || event.metaKey) return this.#handleShortcut(event);
    const isColor = /^[0-9a-f]$/.test(event.key);
    if (event.key in ARROWS) this.#move(...ARROWS[event.key], event.shiftKey ? FAST_STEP : 1);
    else if (event.key === ' ' || event.key === 'Enter') this.#applyByKey(() => this.#apply(this.#cursor));
    else if (['.', 'Delete', 'Backspace'].includes(event.key)) this.#applyByKey(() => this.drawing.set(this.#cursor, ANY_COLOR));
    else if (isColor) {
      this.targets.chooseColor(parseInt(event.key, 16));
      this.targets.say(`Colour: ${this.#name(parseInt(event.key, 16))}`);
    } else return;
    event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #handleShortcut(event) {
    const key = event.key.toLowerCase();
    if (key === 'z' && !event.shiftKey) this.drawing.undo();
    else if (key === 'y' || key === 'z') this.drawing.redo();
    else return;
    event.preventDefault();
    this.#describe();
  }

  /**
   * @param {number} right
   * @param {number} down
   * @param {number} step
   */
  #move(right, down, step) {
    const { width, height } = this.drawing;
    const limit = (/** @type {number} */ at, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, at));
    this.#cursor = limit(Math.floor(this.#cursor / width) + down * step, height) * width + limit(this.#cursor % width + right * step, width);
    this.draw();
    this.#describe();
  }

  /** @param {() => void} change */
  #applyByKey(change) {
    if (this.targets.tool() === 'hand') return this.targets.say('Choose the pencil, the eraser or the bucket first.');
    this.drawing.beginStep();
    change();
    this.#describe();
  }

  /** Announces the cell of the keyboard. */
  #describe() {
    const { width, cells } = this.drawing;
    const { x, y } = this.targets.origin();
    const cell = cells[this.#cursor];
    const below = this.#background[this.#cursor];
    const color = cell === ANY_COLOR ? `left as it is${below === undefined ? '' : `, ${this.#name(below)} on the canvas`}` : this.#name(cell);
    this.targets.say(`${x + this.#cursor % width}, ${y + Math.floor(this.#cursor / width)}: ${color}`);
  }

  /** @param {number} color */
  #name(color) {
    return this.#names[color] ?? `colour ${color}`;
  }
}
