// Requests what the card of a pixel or an agent shows; what does not load is missing.

import { findPastPixel } from './past-pixel.js';
import { getAgent, getPixel, getStory } from '../shared/api.js';

/** @typedef {{x: number, y: number}} Point */

const PREPARED_MS = 2000;
// The card does not wait longer for the plans, which load after it on a slow connection.
const PLANS_TIMEOUT_MS = 1500;

export class CardLookup {
  /** The answer for a pixel whose card may open next. @type {{point: Point, at: number, answer: Promise<unknown>} | null} */ #prepared = null;

  /** The server's answer for a pixel while the past is shown. @type {{point: Point, pixel: import('../shared/types.js').Pixel, story: import('../shared/types.js').Story | null} | null} */ #pastAnswer = null;

  /**
   * @param {import('./canvas-state.js').CanvasState} state
   * @param {import('./card-parts.js').PageActions} actions
   */
  constructor(state, actions) {
    this.state = state;
    this.actions = actions;
  }

  /** @param {string} id */
  loadAgent(id) {
    return getAgent(id).catch(() => null);
  }

  /** Asks the server again at the next time. */
  clear() {
    this.#pastAnswer = null;
  }

  /** Loads a pixel whose card is about to open. @param {Point} point */
  prepare(point) {
    this.#prepared = { point, at: performance.now(), answer: this.#load(point) };
  }

  /** Loads a pixel, or takes the answer that was prepared. @param {Point | null} point */
  loadPixel(point) {
    return this.#takePrepared(point) ?? this.#load(point);
  }

  /** Returns the answer that was prepared for the pixel, once; `null` if there is none, or an old one. @param {Point | null} point */
  #takePrepared(point) {
    const prepared = this.#prepared;
    this.#prepared = null;
    const isFresh = prepared && performance.now() - prepared.at < PREPARED_MS && prepared.point.x === point?.x && prepared.point.y === point.y;
    return isFresh ? prepared.answer : null;
  }

  /** Loads a pixel, its story and the plans for it; without the last two, the painter and the history are left. @param {Point | null} point */
  async #load(point) {
    if (!point) return null;
    if (this.state.shownSeq !== null) return this.#loadPast(point);
    const [pixel, story, plans] = await Promise.all([
      getPixel(point.x, point.y).catch(() => null),
      getStory(point.x, point.y).catch(() => null),
      withinTimeout(this.actions.plansAt(point)),
    ]);
    return pixel && { pixel, story, plans };
  }

  /** Returns the pixel at the shown moment; the server is asked once for all moments. @param {Point} point */
  async #loadPast(point) {
    const known = this.#pastAnswer?.point === point ? this.#pastAnswer : null;
    const [pixel, story] = await Promise.all([
      known?.pixel ?? getPixel(point.x, point.y).catch(() => null),
      known ? known.story : getStory(point.x, point.y).catch(() => null),
    ]);
    const { shownSeq: seq, shownTime: time } = this.state;
    if (!pixel || seq === null || time === null) return null;
    this.#pastAnswer = { point, pixel, story };
    return { ...findPastPixel(pixel, story, { seq, time }), plans: [], moment: time };
  }
}

/**
 * Returns plans, or none if they fail or take too long.
 * @template Plan
 * @param {Promise<Plan[]>} plans
 * @returns {Promise<Plan[]>}
 */
export function withinTimeout(plans) {
  return Promise.race([plans.catch(() => []), new Promise((done) => setTimeout(() => done([]), PLANS_TIMEOUT_MS))]);
}
