// Follows the newest placements from one busy region to the next until the visitor moves the view.

import { getRecentPixels } from '../shared/api.js';

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {{x: number, y: number, at: number}} Placement */

const STEP_MS = 5000;
const ANIMATION_MS = 1600;
const MAX_AGE_MS = 6000;
const MAX_PLACEMENTS = 400;
const CLUSTER_CELLS = 14;
const VISIBLE_CELLS = 44;

export class Follow {
  /** @type {Placement[]} */ #placements = [];
  #timer = 0;
  #isOn = false;

  /**
   * @param {HTMLElement} button
   * @param {CanvasView} view
   */
  constructor(button, view) {
    this.button = button;
    this.view = view;
    view.placementListeners.push((rows) => this.#addPlacements(rows));
    view.controlListeners.push(() => this.#setOn(false));
    view.momentListeners.push(() => { this.#placements = []; });
  }

  toggle() {
    this.#setOn(!this.#isOn);
  }

  /** @param {boolean} on */
  #setOn(on) {
    this.#isOn = on;
    this.button.setAttribute('aria-pressed', String(on));
    clearTimeout(this.#timer);
    this.#placements = [];
    if (on) this.#seed();
  }

  /** Starts from recent placements until the next one arrives; only while the live canvas is shown. */
  async #seed() {
    if (this.view.state.shownSeq !== null) return;
    const { pixels } = await getRecentPixels().catch(() => ({ pixels: [] }));
    if (!this.#isOn || this.#placements.length || this.view.state.shownSeq !== null) return;
    const at = performance.now();
    this.#placements = pixels.map(({ x, y }) => ({ x, y, at })).reverse();
    this.#moveToNewest();
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  #addPlacements(rows) {
    if (!this.#isOn) return;
    const waiting = this.#placements.length === 0;
    const at = performance.now();
    for (const [, x, y] of rows.slice(-MAX_PLACEMENTS)) this.#placements.push({ x, y, at });
    this.#placements = this.#placements.slice(-MAX_PLACEMENTS);
    // The first placement after a pause is shown at once.
    if (waiting) this.#moveToNewest();
  }

  #moveToNewest() {
    clearTimeout(this.#timer);
    const oldest = performance.now() - MAX_AGE_MS;
    this.#placements = this.#placements.filter((placement) => placement.at > oldest);
    const newest = this.#placements.at(-1);
    if (!newest) return;
    const place = centroid(this.#placements.filter(({ x, y }) => Math.max(Math.abs(x - newest.x), Math.abs(y - newest.y)) <= CLUSTER_CELLS));
    const { camera } = this.view;
    const cell = Math.max(camera.viewWidth, camera.viewHeight) / camera.dpr / VISIBLE_CELLS;
    this.view.animateTo(place.x + 0.5, place.y + 0.5, Math.max(cell, 4), ANIMATION_MS);
    this.#timer = setTimeout(() => this.#moveToNewest(), STEP_MS);
  }
}

/** @param {Placement[]} placements */
function centroid(placements) {
  const sum = placements.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 });
  return { x: sum.x / placements.length, y: sum.y / placements.length };
}
