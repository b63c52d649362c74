// Plays the season from a moment on, in the chosen time: event by event, or by snapshots where it is too busy for that.

import { HistoryPages } from './history-pages.js';
import { paceFor, watchingTime } from './pace.js';

// Up to this many placements per second of watching are played one by one.
const MAX_PLACEMENTS_PER_SECOND = 15000;
// A frame that comes late (slow machine, hidden tab) does not jump.
const MAX_FRAME_MS = 200;
// A pause that is hardly longer is not worth a jump.
const TOLERANCE = 1.05;
// What comes when the time is over plays in this time.
const MIN_LEFT_MS = 500;

/** @typedef {{from: number, seconds: number}} Part  the season from a moment on, in milliseconds, and the time in which it plays */

/**
 * @typedef {object} PlayerTargets
 * @property {(time: number, rows: import('../shared/types.js').PastRow[], events: import('../shared/types.js').History['events']) => void} applyEvents
 * @property {(time: number) => void} showSnapshot requests the snapshot of a moment
 * @property {(skipped: number) => void} onSkip skipped milliseconds without events
 * @property {(waiting: boolean) => void} setWaiting
 * @property {() => void} onEnd called when the present is reached
 * @property {() => number} head the newest sequence number
 */

export class Player {
  /** @type {HistoryPages | null} */ #pages = null;
  #frameRequest = 0;
  #lastFrame = 0;
  #time = 0;
  #isWaiting = false;
  /** @type {Part} */ #part = { from: 0, seconds: 1 };
  /** @type {import('./pace.js').Pace} */ #pace = { speed: 1, pause: 0 };
  /** The time of watching that is left, in milliseconds. */ #left = 0;
  /** The first event that was not loaded when the pace was set. */ #pacedUpTo = 0;

  /**
   * @param {PlayerTargets} targets
   * @param {import('./time-scale.js').TimeScale} scale
   */
  constructor(targets, scale) {
    this.targets = targets;
    this.scale = scale;
  }

  get isPlaying() {
    return this.#frameRequest !== 0;
  }

  /** Whether it plays events rather than snapshots. */
  get playsEvents() {
    return this.isPlaying && this.#pages !== null;
  }

  /** Sets what is played, also while it plays. @param {Part} part */
  setPart(part) {
    this.#part = part;
    if (this.isPlaying) this.#startPace();
  }

  /**
   * @param {number} seq the newest sequence number that is shown
   * @param {number} time
   */
  start(seq, time) {
    this.stop();
    this.#time = time;
    this.#startPace();
    this.#lastFrame = performance.now();
    this.#pages = this.#isCrowded ? null : new HistoryPages(seq + 1);
    this.#frameRequest = requestAnimationFrame((now) => this.#step(now));
  }

  stop() {
    cancelAnimationFrame(this.#frameRequest);
    this.#frameRequest = 0;
    this.#pages?.stop();
    this.#pages = null;
    this.#setWaiting(false);
  }

  /**
   * Goes on by events from a snapshot that has arrived.
   * @param {number} seq
   * @param {number} time
   */
  resumeEvents(seq, time) {
    if (!this.isPlaying || this.#pages || this.#isCrowded) return;
    this.#pages = new HistoryPages(seq + 1);
    this.#time = time;
  }

  /** About how many pixels are placed per second of watching around the shown moment. */
  get placementsPerSecond() {
    return this.scale.densityAt(this.#time) * this.#pace.speed * 1000;
  }

  get #isCrowded() {
    return this.placementsPerSecond > MAX_PLACEMENTS_PER_SECOND;
  }

  /** Sets the pace as far as the counts of the season tell it. What comes before the shown moment takes its share of the time. */
  #startPace() {
    const { from, seconds } = this.#part;
    this.#pace = paceFor(this.scale.stretchesFrom(from), seconds * 1000);
    this.#left = this.#time > from ? watchingTime(this.scale.stretchesFrom(this.#time), this.#pace) : seconds * 1000;
    this.#pacedUpTo = 0;
  }

  /**
   * Sets the pace anew when events are loaded: only they tell the pauses within the steps of the counts.
   * @param {HistoryPages} pages
   * @param {number} head
   */
  #keepPace(pages, head) {
    if (pages.from === this.#pacedUpTo) return;
    this.#pacedUpTo = pages.from;
    const { gaps, until } = pages.gapsFrom(this.#time);
    const { busy, pauses } = pages.from > head ? { busy: 0, pauses: [] } : this.scale.stretchesFrom(until);
    this.#pace = paceFor({ busy, pauses: [...gaps, ...pauses] }, Math.max(MIN_LEFT_MS, this.#left));
  }

  /** @param {number} now */
  #step(now) {
    const passed = Math.min(MAX_FRAME_MS, Math.max(0, now - this.#lastFrame));
    this.#lastFrame = now;
    this.#frameRequest = requestAnimationFrame((next) => this.#step(next));
    if (this.#pages && this.#isCrowded) {
      this.#pages.stop();
      this.#pages = null;
    }
    if (this.#pages) this.#playEvents(this.#pages, passed);
    else this.#playSnapshots(passed);
  }

  /**
   * @param {HistoryPages} pages
   * @param {number} passed milliseconds of watching
   */
  #playEvents(pages, passed) {
    const head = this.targets.head();
    void pages.fetch(head);
    const { nextTime: next } = pages;
    if (next === null && pages.from > head) return this.#finish();
    this.#setWaiting(next === null);
    if (next === null) return;
    this.#keepPace(pages, head);
    if (!this.#cutPause(next)) this.#advance(passed);
    const { rows, events } = pages.takeUntil(this.#time);
    this.targets.applyEvents(this.#time, rows, events);
  }

  /** @param {number} passed milliseconds of watching */
  #playSnapshots(passed) {
    this.#advance(passed);
    const busy = this.scale.nextActivity(this.#time);
    if (busy === null || this.#time >= this.scale.now) return this.#finish();
    this.#cutPause(busy);
    this.targets.showSnapshot(this.#time);
  }

  /** @param {number} passed milliseconds of watching */
  #advance(passed) {
    this.#time += passed * this.#pace.speed;
    this.#left -= passed;
  }

  /**
   * Skips the beginning of a pause that is too long. Returns false if it is not.
   * @param {number} next the time of what follows the pause
   */
  #cutPause(next) {
    const pause = this.#pace.pause * this.#pace.speed;
    if (next - this.#time <= TOLERANCE * pause) return false;
    this.targets.onSkip(next - pause - this.#time);
    this.#time = next - pause;
    return true;
  }

  #finish() {
    this.stop();
    this.targets.onEnd();
  }

  /** @param {boolean} waiting */
  #setWaiting(waiting) {
    if (waiting === this.#isWaiting) return;
    this.#isWaiting = waiting;
    this.targets.setWaiting(waiting);
  }
}
