// Plays the placements in the area of a plan again, from its opening to its end or to now.

import { readCells } from '../canvas/canvas-state.js';
import { getPlacements, getRegion } from './plan-api.js';

/** @typedef {import('./types.js').AreaPlacement} AreaPlacement */

/** The time of watching for one placement, and the limits of the whole. */
const MS_PER_PLACEMENT = 60;
const MIN_PLAY_MS = 3000;
const MAX_PLAY_MS = 20000;

export class Replay {
  /** @type {AreaPlacement[]} */ placements = [];
  /** The number of placements that are shown; `null` while the newest state is shown. @type {number | null} */ shown = null;
  /** @type {Promise<void> | null} */ #loading = null;
  #first = new Uint8Array(0);
  #cells = new Uint8Array(0);
  #frame = 0;

  /**
   * @param {{id: string, area: import('./types.js').Area, opened: number}} plan `opened` is the number of its first event
   * @param {() => void} onChange called when another moment is shown
   */
  constructor(plan, onChange) {
    this.plan = plan;
    this.onChange = onChange;
  }

  get isPlaying() {
    return this.#frame !== 0;
  }

  /** The cells of the shown moment; `null` while the newest state is shown. */
  get cells() {
    return this.shown === null ? null : this.#cells;
  }

  /** The time of the shown moment in milliseconds; `null` before the first placement. */
  get time() {
    return this.placements[(this.shown ?? this.placements.length) - 1]?.[4] ?? null;
  }

  /** Loads the placements once; a failed load is repeated at the next call. */
  load() {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async #load() {
    const { id, area, opened } = this.plan;
    const first = getRegion(area, opened).then(readCells);
    /** @type {AreaPlacement[]} */ const placements = [];
    /** @type {number | null | undefined} */ let after = opened;
    while (typeof after === 'number') {
      /** @type {import('./types.js').PlacementPage} */ const page = await getPlacements(id, after);
      placements.push(...page.placements);
      after = page.next_after;
    }
    this.#first = await first;
    const newest = placements.at(-1)?.[0] ?? 0;
    // Placements of the stream may have come while the pages were loading.
    this.placements = [...placements, ...this.placements.filter(([seq]) => seq > newest)];
  }

  /** Adds placements of the stream. @param {AreaPlacement[]} placements */
  append(placements) {
    this.placements.push(...placements);
  }

  /** Shows the moment after a number of placements. @param {number} count */
  seek(count) {
    const isBackwards = this.shown === null || count < this.shown;
    if (isBackwards) this.#cells = this.#first.slice();
    const { x: left, y: top, width } = this.plan.area;
    for (const [, x, y, color] of this.placements.slice(isBackwards ? 0 : this.shown ?? 0, count)) this.#cells[(y - top) * width + x - left] = color;
    this.shown = count;
    this.onChange();
  }

  /** Shows the newest state. */
  showNewest() {
    this.pause();
    this.shown = null;
    this.onChange();
  }

  /** Plays on from the shown moment, or from the opening. */
  play() {
    this.pause();
    const start = this.shown !== null && this.shown < this.placements.length ? this.shown : 0;
    const span = Math.min(MAX_PLAY_MS, Math.max(MIN_PLAY_MS, this.placements.length * MS_PER_PLACEMENT));
    const msPerPlacement = span / Math.max(1, this.placements.length);
    let since = 0;
    const step = (/** @type {number} */ now) => {
      since ||= now;
      const count = start + Math.floor((now - since) / msPerPlacement);
      if (count >= this.placements.length) return this.showNewest();
      this.#frame = requestAnimationFrame(step);
      this.seek(count);
    };
    this.#frame = requestAnimationFrame(step);
  }

  pause() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }
}
