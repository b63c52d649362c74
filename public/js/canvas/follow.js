// Goes to where the newest strokes are, calmly, from one busy place to the next, until a hand takes the canvas.

import { getRecentPixels } from '../shared/api.js';

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {{x: number, y: number, at: number}} Stroke */

const STAY_MS = 5000;
const GLIDE_MS = 1600;
const FRESH_MS = 6000;
const MOST = 400;
const NEAR_CELLS = 14;
const CELLS_IN_SIGHT = 44;

export class Follow {
  /** @type {Stroke[]} */ #strokes = [];
  #timer = 0;
  #on = false;

  /**
   * @param {HTMLElement} button
   * @param {CanvasView} view
   */
  constructor(button, view) {
    this.button = button;
    this.view = view;
    view.strokes.push((rows) => this.#saw(rows));
    view.holds.push(() => this.#set(false));
    view.shows.push(() => { this.#strokes = []; });
  }

  toggle() {
    this.#set(!this.#on);
  }

  /** @param {boolean} on */
  #set(on) {
    this.#on = on;
    this.button.setAttribute('aria-pressed', String(on));
    clearTimeout(this.#timer);
    this.#strokes = [];
    if (on) this.#begin();
  }

  /** Until the next stroke comes, the last ones show where things happen; those of now only where now is shown. */
  async #begin() {
    if (this.view.state.moment !== null) return;
    const { pixels } = await getRecentPixels().catch(() => ({ pixels: [] }));
    if (!this.#on || this.#strokes.length || this.view.state.moment !== null) return;
    const at = performance.now();
    this.#strokes = pixels.map(({ x, y }) => ({ x, y, at })).reverse();
    this.#go();
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  #saw(rows) {
    if (!this.#on) return;
    const waiting = this.#strokes.length === 0;
    const at = performance.now();
    for (const [, x, y] of rows.slice(-MOST)) this.#strokes.push({ x, y, at });
    this.#strokes = this.#strokes.slice(-MOST);
    // The first stroke after a silence is gone to at once.
    if (waiting) this.#go();
  }

  #go() {
    clearTimeout(this.#timer);
    const oldest = performance.now() - FRESH_MS;
    this.#strokes = this.#strokes.filter((stroke) => stroke.at > oldest);
    const newest = this.#strokes.at(-1);
    if (!newest) return;
    const place = middle(this.#strokes.filter(({ x, y }) => Math.max(Math.abs(x - newest.x), Math.abs(y - newest.y)) <= NEAR_CELLS));
    const { camera } = this.view;
    const cell = Math.max(camera.viewWidth, camera.viewHeight) / camera.dpr / CELLS_IN_SIGHT;
    this.view.flyTo(place.x + 0.5, place.y + 0.5, Math.max(cell, 4), GLIDE_MS);
    this.#timer = setTimeout(() => this.#go(), STAY_MS);
  }
}

/** @param {Stroke[]} strokes */
function middle(strokes) {
  const sum = strokes.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 });
  return { x: sum.x / strokes.length, y: sum.y / strokes.length };
}
