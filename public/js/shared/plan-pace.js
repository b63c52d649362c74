// Estimates when a plan will be finished, from how fast its pixels were painted in the last minutes.

import { formatCount, formatDuration } from './format.js';
import { translate } from './translate.js';

const WINDOW_MS = 10 * 60000;
// The pace of a few pixels or seconds says nothing.
const MIN_SPAN_MS = 20000;
const MIN_PIXELS = 2;

export class PlanPace {
  /** The numbers of pixels that were left, oldest first. @type {{at: number, left: number}[]} */ #samples = [];

  /** Begins anew, because the picture is another one. */
  clear() {
    this.#samples = [];
  }

  /**
   * Records how many pixels are left.
   * @param {number} left
   * @param {number} now milliseconds
   */
  record(left, now) {
    if (this.#samples.at(-1)?.left !== left) this.#samples.push({ at: now, left });
    // The newest sample from before the window tells what was left when it began.
    while (this.#samples.length > 1 && this.#samples[1].at <= now - WINDOW_MS) this.#samples.shift();
  }

  /**
   * Returns the milliseconds until nothing is left at the pace of the last minutes; `null` if nothing moves.
   * @param {number} left
   * @param {number} now milliseconds
   */
  estimate(left, now) {
    this.record(left, now);
    const [first] = this.#samples;
    const span = Math.min(now - first.at, WINDOW_MS);
    const painted = first.left - left;
    return span < MIN_SPAN_MS || painted < MIN_PIXELS ? null : left * span / painted;
  }
}

/**
 * Returns what is left of an open plan in words.
 * @param {number} left pixels
 * @param {PlanPace} pace
 */
export function describeLeft(left, pace) {
  const time = pace.estimate(left, Date.now());
  const count = formatCount(left);
  if (time === null) return translate(left === 1 ? '{count} pixel left' : '{count} pixels left', { count });
  return translate(left === 1 ? '{count} pixel left, about {duration}' : '{count} pixels left, about {duration}', { count, duration: formatDuration(time) });
}

/** Returns the note of a finished plan whose pixels were painted over. @param {number} left pixels */
export const describeDamage = (left) => translate(left === 1 ? '{count} pixel painted over since' : '{count} pixels painted over since', { count: formatCount(left) });
