// Plays the season from a moment on: by its strokes while these can be told one by one, by its pictures when it was too busy.

import { Reel } from './history-pages.js';

// Longer than this nobody watches nothing happen.
const IDLE_MS = 3000;
const LEAD_MS = 400;
// So many strokes in a second of watching are still told one by one.
const TOLD = 15000;
// A frame that came late (a busy machine, a tab that was away) does not leap.
const LONGEST_FRAME_MS = 200;

/**
 * @typedef {object} Stage
 * @property {(time: number, rows: import('../shared/types.js').PastRow[], events: import('../shared/types.js').History['events']) => void} told
 * @property {(time: number) => void} picture  wants the picture of a moment
 * @property {(skipped: number) => void} skipped  milliseconds of the season in which nothing happened
 * @property {(waiting: boolean) => void} waiting
 * @property {() => void} arrived  now is reached
 * @property {() => number} head  the newest number
 */

export class Player {
  /** @type {Reel | null} */ #reel = null;
  #frame = 0;
  #last = 0;
  #time = 0;
  #waiting = false;

  /**
   * @param {Stage} stage
   * @param {import('./time-scale.js').TimeScale} scale
   */
  constructor(stage, scale) {
    this.stage = stage;
    this.scale = scale;
    this.speed = 1;
  }

  get playing() {
    return this.#frame !== 0;
  }

  /** Whether it plays by strokes, not by pictures. */
  get telling() {
    return this.playing && this.#reel !== null;
  }

  /**
   * @param {number} seq the newest number that is shown
   * @param {number} time
   */
  start(seq, time) {
    this.stop();
    this.#time = time;
    this.#last = performance.now();
    this.#reel = this.#crowded ? null : new Reel(seq + 1);
    this.#frame = requestAnimationFrame((now) => this.#step(now));
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#reel?.end();
    this.#reel = null;
    this.#wait(false);
  }

  /**
   * A picture has come: from here on, strokes can be told again.
   * @param {number} seq
   * @param {number} time
   */
  seen(seq, time) {
    if (!this.playing || this.#reel || this.#crowded) return;
    this.#reel = new Reel(seq + 1);
    this.#time = time;
  }

  get #crowded() {
    return this.scale.density(this.#time) * this.speed * 1000 > TOLD;
  }

  /** @param {number} now */
  #step(now) {
    const passed = Math.min(LONGEST_FRAME_MS, Math.max(0, now - this.#last)) * this.speed;
    this.#last = now;
    this.#frame = requestAnimationFrame((next) => this.#step(next));
    if (this.#reel && this.#crowded) {
      this.#reel.end();
      this.#reel = null;
    }
    if (this.#reel) this.#tell(this.#reel, passed);
    else this.#picture(passed);
  }

  /**
   * @param {Reel} reel
   * @param {number} passed
   */
  #tell(reel, passed) {
    const head = this.stage.head();
    void reel.fetch(head);
    const { next } = reel;
    if (next === null && reel.from > head) return this.#arrive();
    this.#wait(next === null);
    if (next === null) return;
    if (next - this.#time > IDLE_MS * this.speed) this.#skip(next - LEAD_MS * this.speed);
    else this.#time += passed;
    const { rows, events } = reel.take(this.#time);
    this.stage.told(this.#time, rows, events);
  }

  /** @param {number} passed */
  #picture(passed) {
    this.#time += passed;
    const busy = this.scale.busyFrom(this.#time);
    if (busy > this.#time + IDLE_MS * this.speed) this.#skip(busy);
    if (this.#time >= this.scale.now) return this.#arrive();
    this.stage.picture(this.#time);
  }

  /** @param {number} to */
  #skip(to) {
    this.stage.skipped(to - this.#time);
    this.#time = to;
  }

  #arrive() {
    this.stop();
    this.stage.arrived();
  }

  /** @param {boolean} waiting */
  #wait(waiting) {
    if (waiting === this.#waiting) return;
    this.#waiting = waiting;
    this.stage.waiting(waiting);
  }
}
