// The plans of past moments: those that had begun then and had not ended.

import { readAllPlans } from './all-plans.js';
import { LivePlan } from './live-plan.js';

/** @typedef {import('../shared/types.js').PlanSummary} PlanSummary */

export class PastPlans {
  /** All plans, once they are loaded. @type {LivePlan[]} */ #plans = [];
  /** The list that they are from. @type {PlanSummary[]} */ #list = [];

  /** @param {() => void} onLoad */
  constructor(onLoad) {
    this.onLoad = onLoad;
  }

  /** Loads the plans if they have changed; what is known is shown until then. */
  load() {
    void readAllPlans().then((list) => this.#show(list), () => {});
  }

  /** @param {PlanSummary[]} list */
  #show(list) {
    if (list === this.#list) return;
    this.#list = list;
    this.#plans = list.map((summary) => new LivePlan(summary));
    this.onLoad();
  }

  /** Returns the plans that were there at a moment. @param {number} time milliseconds */
  at(time) {
    return this.#plans.filter(({ summary: { created_at: begin, ended_at: end, state, expires_at: expiry } }) => {
      const ended = end ?? (state === 'expired' ? expiry : null);
      return Date.parse(begin) <= time && (!ended || Date.parse(ended) > time);
    });
  }
}
