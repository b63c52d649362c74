// The choice of what is replayed, and in which time.

import { byId } from '../shared/dom.js';

/** @typedef {import('./time-scale.js').TimeScale} TimeScale */
/** @typedef {import('./player.js').Part} Part */

const HOUR_MS = 3600e3;
const RANGE_MS = new Map([['hour', HOUR_MS], ['day', 24 * HOUR_MS]]);

export class ReplayChoice {
  #range = /** @type {HTMLSelectElement} */ (byId('time-range'));
  #seconds = /** @type {HTMLSelectElement} */ (byId('time-speed'));

  /** @param {{changeRange: () => void, changeSpeed: () => void}} handlers */
  constructor({ changeRange, changeSpeed }) {
    this.#range.addEventListener('change', changeRange);
    this.#seconds.addEventListener('change', changeSpeed);
  }

  /** Returns the moment at which the chosen part of the season begins. @param {TimeScale} scale */
  startOf(scale) {
    const length = RANGE_MS.get(this.#range.value);
    return length ? Math.max(scale.start, scale.now - length) : scale.start;
  }

  /** Returns the chosen part of the season with the chosen time. @param {TimeScale} scale @returns {Part} */
  partOf(scale) {
    return { from: this.startOf(scale), seconds: Number(this.#seconds.value) };
  }
}
