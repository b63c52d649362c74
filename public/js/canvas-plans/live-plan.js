// A plan that has not ended: what the list says of it, and its picture once that was needed.

import { PlanProgress } from './plan-progress.js';
import { PlanPace } from '../shared/plan-pace.js';

/** @typedef {import('../canvas/canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').Plan} Plan */
/** @typedef {import('../shared/types.js').PlanSummary} PlanSummary */
/** @typedef {import('../shared/types.js').Region} Region */

export class LivePlan {
  /** Its picture and the progress, once they are loaded. @type {PlanProgress | null} */ progress = null;
  /** @type {import('../shared/types.js').PlanHelper[]} */ helpers = [];
  /** True while a visitor sees its helpers. */ isWatched = false;
  /** True after placements that may have changed its helpers. */ isOutdated = false;
  refreshTimer = 0;

  pace = new PlanPace();

  /** @param {PlanSummary} summary */
  constructor(summary) {
    this.summary = summary;
  }

  get id() {
    return this.summary.id;
  }

  get counts() {
    return this.progress?.counts ?? this.summary.progress;
  }

  /** Whole percent, rounded down, so that only a complete picture has 100. */
  get percent() {
    const { total, done } = this.counts;
    return Math.floor(100 * done / Math.max(1, total));
  }

  /** A finished plan stays finished, even if pixels are painted over. */
  get isFinished() {
    return Boolean(this.summary.finished_at) || this.counts.left === 0;
  }

  get isOpen() {
    return !this.isFinished;
  }

  /** @returns {Region} */
  get region() {
    const { x, y, width, height } = this.summary;
    return { x1: x, y1: y, x2: x + width - 1, y2: y + height - 1 };
  }

  /**
   * Takes over the server's newest answer; returns whether the count from the canvas agrees with it. It does not while
   * placements are on their way.
   * @param {Plan} plan
   * @param {CanvasState} state
   */
  setDetails(plan, state) {
    this.summary = plan;
    this.helpers = plan.helpers;
    this.isOutdated = false;
    const known = this.progress?.isOf(plan) ? this.progress : null;
    const progress = known ?? new PlanProgress(plan);
    if (!known) this.pace.clear();
    progress.recount(state.liveCells, state.width);
    const agrees = progress.counts.done === plan.progress.done;
    if (agrees || !known) progress.setDamaged(plan.progress.damaged, plan.damaged_pixels ?? []);
    this.progress = progress;
    this.pace.record(progress.counts.left, Date.now());
    return agrees;
  }

  /**
   * Returns whether a pixel lies in the rectangle of the picture.
   * @param {number} x
   * @param {number} y
   */
  covers(x, y) {
    const { x1, y1, x2, y2 } = this.region;
    return x >= x1 && y >= y1 && x <= x2 && y <= y2;
  }
}

/** Returns whether a plan has ended. @param {PlanSummary} plan */
export const hasEnded = ({ state, ended_at: at }) => Boolean(at) || state === 'closed' || state === 'expired';
