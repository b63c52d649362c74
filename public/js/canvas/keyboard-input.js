// Keyboard input: a cursor on the canvas moved by arrows, Enter to inspect, + − 0 to zoom, and shortcuts of the toolbar.

import { isKeyTaken } from './key-target.js';

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {{x: number, y: number}} Point */

/**
 * @typedef {object} KeyboardHandlers
 * @property {(point: Point) => void} pick
 * @property {(point: Point | null) => void} hover
 * @property {(point: Point | null) => void} walk called when the cursor has moved to a pixel; `null` if it left or the pixel was picked
 * @property {Record<string, (() => void) | undefined>} keys
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SHIFT_STEP = 8;
export const ZOOM_STEP = 1.5;

export class KeyboardInput {
  /** @type {Point | null} */ #cursor = null;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {CanvasView} view
   * @param {KeyboardHandlers} handlers
   */
  constructor(canvas, view, handlers) {
    this.canvas = canvas;
    this.view = view;
    this.handlers = handlers;
    document.addEventListener('keydown', (event) => this.#handleKey(event));
    canvas.addEventListener('blur', () => this.#removeCursor());
    // The mouse replaces the keyboard cursor: two pointers at once would confuse.
    canvas.addEventListener('pointerdown', () => this.#removeCursor());
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (isKeyTaken(event, this.canvas)) return;
    const act = this.handlers.keys[event.key] ?? this.#actionFor(event.key, event.shiftKey);
    if (!act) return;
    event.preventDefault();
    act();
  }

  /**
   * Returns the action of a key and makes it take control of the view; `null` if it has none.
   * @param {string} key
   * @param {boolean} isShift
   * @returns {(() => void) | null} what the key does here
   */
  #actionFor(key, isShift) {
    const move = this.#viewActionFor(key, isShift);
    return move && (() => {
      this.view.takeControl();
      move();
    });
  }

  /**
   * @param {string} key
   * @param {boolean} isShift
   * @returns {(() => void) | null}
   */
  #viewActionFor(key, isShift) {
    const at = this.#cursor;
    if (key in ARROWS) return () => this.#moveCursor(ARROWS[key], isShift ? SHIFT_STEP : 1);
    if (key === '+' || key === '=') return () => this.#zoom(ZOOM_STEP);
    if (key === '-' || key === '_') return () => this.#zoom(1 / ZOOM_STEP);
    if (key === '0') return () => this.view.fit();
    // The first Enter shows the cursor.
    if (key === 'Enter' || key === ' ') return () => (at ? this.#pick(at) : this.#moveCursor([0, 0], 0));
    return null;
  }

  /** @param {Point} at */
  #pick(at) {
    this.handlers.walk(null);
    this.handlers.pick(at);
  }

  /**
   * Moves the cursor, and the focus to the canvas, so that Enter opens the pixel and does not press a button.
   * @param {[number, number]} direction
   * @param {number} step
   */
  #moveCursor([dx, dy], step) {
    const { camera, state } = this.view;
    const from = this.#cursor ?? { x: Math.floor(camera.x), y: Math.floor(camera.y) };
    this.canvas.focus({ preventScroll: true });
    this.#cursor = {
      x: Math.min(state.width - 1, Math.max(0, from.x + dx * step)),
      y: Math.min(state.height - 1, Math.max(0, from.y + dy * step)),
    };
    // While zoomed in, the view follows the cursor.
    if (!camera.isFitted) this.view.jumpTo(this.#cursor.x + 0.5, this.#cursor.y + 0.5);
    this.view.setPointer(this.#cursor);
    this.handlers.hover(this.#cursor);
    this.handlers.walk(this.#cursor);
  }

  /** @param {number} factor */
  #zoom(factor) {
    if (!this.#cursor) return this.view.zoomBy(factor);
    this.view.zoomBy(factor);
    this.view.jumpTo(this.#cursor.x + 0.5, this.#cursor.y + 0.5);
  }

  #removeCursor() {
    this.#cursor = null;
    this.view.setPointer(null);
    this.handlers.hover(null);
    this.handlers.walk(null);
  }
}
