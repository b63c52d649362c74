// The season as a line of time: where a moment lies on it, and how busy it was there.

import { seasonOf } from '../shared/season.js';

/** @typedef {import('../shared/types.js').Timeline} Timeline */

const DAY_MS = 86400e3;

export class TimeScale {
  #ahead;

  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.season = seasonOf(timeline.season).id;
    this.first = timeline.first;
    this.counts = timeline.counts;
    this.opened = Date.parse(timeline.opened_at);
    this.asked = Date.parse(timeline.now);
    // The server's clock counts: a visitor's own may be hours away.
    this.#ahead = this.asked - Date.now();
  }

  /** Now, by the server's clock, in milliseconds. */
  get now() {
    return Math.max(this.asked, Date.now() + this.#ahead);
  }

  /** Never nothing, so that one may divide by it. */
  get span() {
    return Math.max(1000, this.now - this.opened);
  }

  /** The day of the season, from 1. @param {number} at milliseconds */
  day(at) {
    return Math.floor(Math.max(0, at - this.opened) / DAY_MS) + 1;
  }

  /** @param {number} at milliseconds */
  fraction(at) {
    return Math.min(1, Math.max(0, (at - this.opened) / this.span));
  }

  /** Milliseconds that one count stands for. */
  get step() {
    return Math.max(1, (this.asked - this.opened) / this.counts.length);
  }

  /** @param {number} at */
  #place(at) {
    return Math.min(this.counts.length, Math.max(0, (at - this.opened) / this.step));
  }

  /** About how many pixels had been placed by then. @param {number} at */
  placedBy(at) {
    const place = this.#place(at);
    const whole = Math.floor(place);
    const before = this.counts.slice(0, whole).reduce((sum, count) => sum + count, 0);
    return Math.round(before + (place - whole) * (this.counts[whole] ?? 0));
  }

  /** Placements per millisecond around a moment. @param {number} at */
  density(at) {
    return (this.counts[Math.floor(this.#place(at))] ?? 0) / this.step;
  }

  /**
   * The first moment from here on at which something was placed, as far as the counts tell.
   * @param {number} at
   */
  busyFrom(at) {
    const place = Math.floor(this.#place(at));
    if (this.counts[place]) return at;
    const next = this.counts.findIndex((count, i) => i > place && count > 0);
    return next < 0 ? this.now : this.opened + next * this.step;
  }
}
