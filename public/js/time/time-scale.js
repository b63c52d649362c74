// The season as a time scale from its first placement on: fractions, days and activity at a moment.

import { seasonOf } from '../shared/season.js';

/** @typedef {import('../shared/types.js').Timeline} Timeline */

const DAY_MS = 86400e3;

export class TimeScale {
  #clockOffset;

  /**
   * @param {Timeline} timeline
   * @param {number} receivedAt when it was received, by the visitor's clock
   */
  constructor(timeline, receivedAt = Date.now()) {
    this.season = seasonOf(timeline.season).id;
    this.first = timeline.first;
    this.opened = Date.parse(timeline.opened_at);
    this.fetchedAt = Date.parse(timeline.now);
    this.hasEnded = timeline.has_ended;
    // The server's clock counts: the visitor's may be hours off.
    this.#clockOffset = this.fetchedAt - receivedAt;
    /** Milliseconds per count. */
    this.stepMs = Math.max(1, (this.fetchedAt - this.opened) / timeline.counts.length);
    // The time before the first placement is left out: it may be nearly all of the season.
    const quiet = Math.max(0, timeline.counts.findIndex((count) => count > 0));
    this.counts = timeline.counts.slice(quiet);
    /** The pixels of other agents that were painted over in each step; empty while the server counts them for the first time. */
    this.overpainted = (timeline.overpainted ?? []).slice(quiet);
    /** The moment at which the scale begins. It is later than the opening, whose fraction of a millisecond is not known here. */
    this.start = Math.max(this.opened + 1, this.opened + quiet * this.stepMs);
    /** The number of placements. */
    this.total = this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** The current time by the server's clock, or the end of a season that has ended, in milliseconds. */
  get now() {
    return this.hasEnded ? this.fetchedAt : Math.max(this.fetchedAt, Date.now() + this.#clockOffset);
  }

  /** The length of the scale in milliseconds, never zero. */
  get span() {
    return Math.max(1000, this.now - this.start);
  }

  /** Returns the day of the season, from 1. @param {number} at milliseconds */
  dayOf(at) {
    return Math.floor(Math.max(0, at - this.opened) / DAY_MS) + 1;
  }

  /** @param {number} at milliseconds */
  fraction(at) {
    return Math.min(1, Math.max(0, (at - this.start) / this.span));
  }

  /** Returns the moment at a fraction of the scale. @param {number} fraction */
  timeAt(fraction) {
    return this.start + fraction * this.span;
  }

  /** @param {number} at */
  #indexAt(at) {
    return Math.min(this.counts.length, Math.max(0, (at - this.start) / this.stepMs));
  }

  /** Returns about how many pixels had been placed at a moment. @param {number} at */
  placedBy(at) {
    const place = this.#indexAt(at);
    const whole = Math.floor(place);
    const before = this.counts.slice(0, whole).reduce((sum, count) => sum + count, 0);
    return Math.round(before + (place - whole) * (this.counts[whole] ?? 0));
  }

  /** Returns about when this many pixels had been placed. @param {number} placements */
  timeOfPlacement(placements) {
    let before = 0;
    for (const [index, count] of this.counts.entries()) {
      if (count && before + count >= placements) return this.start + (index + (placements - before) / count) * this.stepMs;
      before += count;
    }
    return this.now;
  }

  /** Returns placements per millisecond around a moment. @param {number} at */
  densityAt(at) {
    return (this.counts[Math.floor(this.#indexAt(at))] ?? 0) / this.stepMs;
  }

  /**
   * Returns the first moment from here on with a placement, as far as the counts tell; `null` if there is none.
   * @param {number} at
   */
  nextActivity(at) {
    const place = Math.floor(this.#indexAt(at));
    if (this.counts[place]) return at;
    const next = this.counts.findIndex((count, i) => i > place && count > 0);
    return next < 0 ? null : this.start + next * this.stepMs;
  }

  /**
   * Returns how long the season is busy from a moment on, and how long its pauses are, as far as the counts tell. The last
   * placement ends it.
   * @param {number} from
   * @returns {import('./pace.js').Stretches}
   */
  stretchesFrom(from) {
    const place = this.#indexAt(from);
    const first = Math.floor(place);
    /** @type {number[]} */ const pauses = [];
    let [busy, pause] = [0, 0];
    for (const [index, count] of this.counts.slice(first).entries()) {
      const length = index ? this.stepMs : (first + 1 - place) * this.stepMs;
      if (!count) pause += length;
      else {
        if (pause) pauses.push(pause);
        pause = 0;
        busy += length;
      }
    }
    return { busy, pauses };
  }
}
