// The season as a time scale: fractions, days and activity at a moment.

import { seasonOf } from '../shared/season.js';

/** @typedef {import('../shared/types.js').Timeline} Timeline */

const DAY_MS = 86400e3;

export class TimeScale {
  #clockOffset;

  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.season = seasonOf(timeline.season).id;
    this.first = timeline.first;
    this.counts = timeline.counts;
    this.opened = Date.parse(timeline.opened_at);
    this.fetchedAt = Date.parse(timeline.now);
    this.hasEnded = timeline.has_ended;
    // The server's clock counts: the visitor's may be hours off.
    this.#clockOffset = this.fetchedAt - Date.now();
  }

  /** The current time by the server's clock, or the end of a season that has ended, in milliseconds. */
  get now() {
    return this.hasEnded ? this.fetchedAt : Math.max(this.fetchedAt, Date.now() + this.#clockOffset);
  }

  /** The length of the season in milliseconds, never zero. */
  get span() {
    return Math.max(1000, this.now - this.opened);
  }

  /** Returns the day of the season, from 1. @param {number} at milliseconds */
  dayOf(at) {
    return Math.floor(Math.max(0, at - this.opened) / DAY_MS) + 1;
  }

  /** @param {number} at milliseconds */
  fraction(at) {
    return Math.min(1, Math.max(0, (at - this.opened) / this.span));
  }

  /** Milliseconds per count. */
  get stepMs() {
    return Math.max(1, (this.fetchedAt - this.opened) / this.counts.length);
  }

  /** @param {number} at */
  #indexAt(at) {
    return Math.min(this.counts.length, Math.max(0, (at - this.opened) / this.stepMs));
  }

  /** Returns about how many pixels had been placed at a moment. @param {number} at */
  placedBy(at) {
    const place = this.#indexAt(at);
    const whole = Math.floor(place);
    const before = this.counts.slice(0, whole).reduce((sum, count) => sum + count, 0);
    return Math.round(before + (place - whole) * (this.counts[whole] ?? 0));
  }

  /** Returns placements per millisecond around a moment. @param {number} at */
  densityAt(at) {
    return (this.counts[Math.floor(this.#indexAt(at))] ?? 0) / this.stepMs;
  }

  /**
   * Returns the first moment from here on with a placement, as far as the counts tell.
   * @param {number} at
   */
  nextActivity(at) {
    const place = Math.floor(this.#indexAt(at));
    if (this.counts[place]) return at;
    const next = this.counts.findIndex((count, i) => i > place && count > 0);
    return next < 0 ? this.now : this.opened + next * this.stepMs;
  }
}
