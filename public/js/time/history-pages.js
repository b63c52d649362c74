// Pages of past events in order; the next page is requested before the last one is used up.

import { getHistory } from '../shared/api.js';

/** @typedef {import('../shared/types.js').History} History */
/** @typedef {import('../shared/types.js').PastRow} PastRow */
/** @typedef {{page: History, pixel: number, event: number}} OpenPage */

const PAGE_SIZE = 5000;
const PREFETCHED_PAGES = 2;
const RETRY_MS = 2000;
// At most this many placements are applied per frame; the rest waits for the next one.
const MAX_ROWS = 20000;

export class HistoryPages {
  /** @type {OpenPage[]} */ #pages = [];
  #loading = false;
  #ended = false;

  /** @param {number} from the first sequence number */
  constructor(from) {
    this.from = from;
  }

  /** Ignores all further answers. */
  stop() {
    this.#ended = true;
  }

  /** Requests the next page unless enough is loaded or the newest event is reached. @param {number} head */
  async fetch(head) {
    if (this.#loading || this.#ended || this.#pages.length >= PREFETCHED_PAGES || this.from > head) return;
    this.#loading = true;
    const page = await getHistory(this.from, PAGE_SIZE).catch(() => null);
    if (page) {
      this.#pages.push({ page, pixel: 0, event: 0 });
      this.from = page.next_from ?? page.to + 1;
    } else {
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
    this.#loading = false;
  }

  /** The time of the next event in milliseconds; `null` if it is not loaded. */
  get nextTime() {
    for (const { page, pixel, event } of this.#pages) {
      const placementTime = page.pixels[pixel]?.[5] ?? Infinity;
      const eventTime = page.events[event] ? Date.parse(page.events[event].time) : Infinity;
      if (placementTime < Infinity || eventTime < Infinity) return Math.min(placementTime, eventTime);
    }
    return null;
  }

  /**
   * Returns the times between the events that are loaded, the first one from a moment on, and the time of the last one, in milliseconds.
   * @param {number} from
   */
  gapsFrom(from) {
    const times = this.#pages.flatMap(({ page, pixel, event }) => [
      ...page.pixels.slice(pixel).map((row) => row[5]), ...page.events.slice(event).map(({ time }) => Date.parse(time)),
    ]).sort((a, b) => a - b);
    let until = from;
    const gaps = times.map((time) => {
      const gap = Math.max(0, time - until);
      until += gap;
      return gap;
    });
    return { gaps, until };
  }

  /**
   * Returns the events up to a moment, each once.
   * @param {number} until milliseconds
   * @returns {{rows: PastRow[], events: History['events']}}
   */
  takeUntil(until) {
    /** @type {PastRow[]} */ const rows = [];
    /** @type {History['events']} */ const events = [];
    while (this.#pages.length) {
      const open = this.#pages[0];
      const { pixels, events: others } = open.page;
      const start = open.pixel;
      while (open.pixel < pixels.length && pixels[open.pixel][5] <= until && rows.length + open.pixel - start < MAX_ROWS) open.pixel++;
      for (let i = start; i < open.pixel; i++) rows.push(pixels[i]);
      while (open.event < others.length && Date.parse(others[open.event].time) <= until) events.push(others[open.event++]);
      if (open.pixel < pixels.length || open.event < others.length) break;
      this.#pages.shift();
    }
    return { rows, events };
  }
}
