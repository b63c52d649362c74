// Plays the season from a moment on: event by event, or by snapshots where it is too busy for that.

import { HistoryPages } from './history-pages.js';
import { MAX_IDLE_MS, SKIP_LEAD_MS } from './pace.js';

// Up to this many placements per second of watching are played one by one.
const MAX_PLACEMENTS_PER_SECOND = 15000;
// A frame that comes late (slow machine, hidden tab) does not jump.
const MAX_FRAME_MS = 200;

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

  /**
   * @param {PlayerTargets} targets
   * @param {import('./time-scale.js').TimeScale} scale
   */
  constructor(targets, scale) {
    this.targets = targets;
    this.scale = scale;
    this.speed = 1;
  }

  get isPlaying() {
    return this.#frameRequest !== 0;
  }

  /** Whether it plays events rather than snapshots. */
  get playsEvents() {
    return this.isPlaying && this.#pages !== null;
  }

  /**
   * @param {number} seq the newest sequence number that is shown
   * @param {number} time
   */
  start(seq, time) {
    this.stop();
    this.#time = time;
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
    return this.scale.densityAt(this.#time) * this.speed * 1000;
  }

  get #isCrowded() {
    return this.placementsPerSecond > MAX_PLACEMENTS_PER_SECOND;
  }

  /** @param {number} now */
  #step(now) {
    const passed = Math.min(MAX_FRAME_MS, Math.max(0, now - this.#lastFrame)) * this.speed;
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
   * @param {number} passed
   */
  #playEvents(pages, passed) {
    const head = this.targets.head();
    void pages.fetch(head);
    const { nextTime: next } = pages;
    if (next === null && pages.from > head) return this.#finish();
    this.#setWaiting(next === null);
    if (next === null) return;
    if (next - this.#time > MAX_IDLE_MS * this.speed) this.#skipTo(next - SKIP_LEAD_MS * this.speed);
    else this.#time += passed;
    const { rows, events } = pages.takeUntil(this.#time);
    this.targets.applyEvents(this.#time, rows, events);
  }

  /** @param {number} passed */
  #playSnapshots(passed) {
    this.#time += passed;
    const busy = this.scale.nextActivity(this.#time);
    if (busy > this.#time + MAX_IDLE_MS * this.speed) this.#skipTo(busy);
    if (this.#time >= this.scale.now) return this.#finish();
    this.targets.showSnapshot(this.#time);
  }

  /** @param {number} to */
  #skipTo(to) {
    this.targets.onSkip(to - this.#time);
    this.#time = to;
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
