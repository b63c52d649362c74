// What happened, in order, page by page, with the next page on its way before the last is through.

import { getHistory } from '../shared/api.js';

/** @typedef {import('../shared/types.js').History} History */
/** @typedef {import('../shared/types.js').PastRow} PastRow */
/** @typedef {{page: History, pixel: number, event: number}} Open */

const PAGE = 5000;
const AHEAD = 2;
const AGAIN_MS = 2000;
// So many strokes a frame can be painted without a pause; the rest waits for the next one.
const MOST_ROWS = 20000;

export class Reel {
  /** @type {Open[]} */ #pages = [];
  #loading = false;
  #ended = false;

  /** @param {number} from the next number */
  constructor(from) {
    this.from = from;
  }

  /** No answer is wanted any more. */
  end() {
    this.#ended = true;
  }

  /** Asks for what comes next, up to the newest number there is. @param {number} head */
  async fetch(head) {
    if (this.#loading || this.#ended || this.#pages.length >= AHEAD || this.from > head) return;
    this.#loading = true;
    const page = await getHistory(this.from, PAGE).catch(() => null);
    if (page) {
      this.#pages.push({ page, pixel: 0, event: 0 });
      this.from = page.next_from ?? page.to + 1;
    } else {
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    this.#loading = false;
  }

  /** When the next thing happened; null when that is not known here. */
  get next() {
    for (const { page, pixel, event } of this.#pages) {
      const stroke = page.pixels[pixel]?.[5] ?? Infinity;
      const other = page.events[event] ? Date.parse(page.events[event].time) : Infinity;
      if (stroke < Infinity || other < Infinity) return Math.min(stroke, other);
    }
    return null;
  }

  /**
   * Hands out what happened up to a moment, each thing once.
   * @param {number} until milliseconds
   * @returns {{rows: PastRow[], events: History['events']}}
   */
  take(until) {
    /** @type {PastRow[]} */ const rows = [];
    /** @type {History['events']} */ const events = [];
    while (this.#pages.length) {
      const open = this.#pages[0];
      const { pixels, events: others } = open.page;
      const start = open.pixel;
      while (open.pixel < pixels.length && pixels[open.pixel][5] <= until && rows.length + open.pixel - start < MOST_ROWS) open.pixel++;
      for (let i = start; i < open.pixel; i++) rows.push(pixels[i]);
      while (open.event < others.length && Date.parse(others[open.event].time) <= until) events.push(others[open.event++]);
      if (open.pixel < pixels.length || open.event < others.length) break;
      this.#pages.shift();
    }
    return { rows, events };
  }
}
