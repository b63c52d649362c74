// The heatmaps of past moments, computed from the placements of the season, which are loaded once and only as far as needed.

import { getHistory, getTimeline } from '../shared/api.js';

/** @typedef {import('../shared/types.js').Heatmap} Heatmap */
/** @typedef {import('../canvas/canvas-state.js').CanvasState} CanvasState */

const PAGE_SIZE = 10_000;
// A longer season would take too long to load: its lenses show the live canvas only.
const MAX_EVENTS = 200_000;

/** Thrown for a moment with more events before it than are loaded. */
class TooManyEvents extends Error {
  name = 'TooManyEvents';
}

export class PastHeatmaps {
  /** The sequence number from which on placements are not loaded; `null` before the first page. @type {number | null} */ #next = null;
  #first = 0;
  /** @type {{seq: number, cell: number, owner: number, time: number}[]} */ #placements = [];
  /** @type {string[]} */ #agents = [];
  /** @type {Map<string, number>} from 1, as in the answers of the API */ #numbers = new Map();
  #loading = Promise.resolve();

  /** @param {CanvasState} state */
  constructor(state) {
    this.state = state;
  }

  /**
   * Returns the heatmap right after an event.
   * @param {Heatmap['by']} by
   * @param {number} seq
   * @param {number} time its time in milliseconds
   * @returns {Promise<Heatmap>}
   */
  async get(by, seq, time) {
    if (this.#next === null || this.#next <= seq) {
      const loading = this.#loading.then(() => this.#loadUntil(seq));
      this.#loading = loading.catch(() => {});
      await loading;
    }
    return this.#compute(by, seq, time);
  }

  /** @param {number} seq */
  async #loadUntil(seq) {
    if (this.#next === null) this.#next = this.#first = (await getTimeline(1)).first;
    if (seq - this.#first > MAX_EVENTS) throw new TooManyEvents();
    while (this.#next <= seq) {
      const page = await getHistory(this.#next, PAGE_SIZE);
      for (const [at, x, y, , id, time] of page.pixels) {
        if (this.state.contains(x, y)) this.#placements.push({ seq: at, cell: y * this.state.width + x, owner: this.#numberOf(id), time });
      }
      this.#next = page.next_from ?? page.to + 1;
      if (page.next_from === null) break;
    }
  }

  /** @param {string} id */
  #numberOf(id) {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#agents.push(id);
    this.#numbers.set(id, this.#agents.length);
    return this.#agents.length;
  }

  /**
   * @param {Heatmap['by']} by
   * @param {number} seq
   * @param {number} time
   * @returns {Heatmap}
   */
  #compute(by, seq, time) {
    const { width, height } = this.state;
    /** @type {number[]} */ const values = new Array(width * height).fill(by === 'age' ? -1 : 0);
    const pixels = new Array(this.#agents.length + 1).fill(0);
    for (const placement of this.#placements) {
      if (placement.seq > seq) break;
      const { cell, owner } = placement;
      if (by === 'contested') values[cell]++;
      else if (by === 'age') values[cell] = Math.max(0, (time - placement.time) / 1000);
      else {
        pixels[values[cell]]--;
        values[cell] = owner;
        pixels[owner]++;
      }
    }
    // Names are not part of the log: the page learns them elsewhere.
    const agents = this.#agents.map((id, index) => ({ id, name: '', pixels: pixels[index + 1] }));
    return { by, width, height, season: '', version: seq, values, ...(by === 'painter' && { agents }) };
  }
}
