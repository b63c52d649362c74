// The plans of past moments: those of the season that had begun then and had not ended.

import { LivePlan } from './live-plan.js';
import { getPlans } from './plan-api.js';

// Enough for all plans of a season that somebody painted, which come first.
const MAX_PAGES = 10;

export class PastPlans {
  /** All plans of the season, once they are loaded. @type {LivePlan[]} */ #plans = [];
  /** @type {Promise<void> | null} */ #loading = null;

  /** @param {() => void} onLoad */
  constructor(onLoad) {
    this.onLoad = onLoad;
  }

  /** Loads the plans anew; what is known is shown until then. */
  load() {
    this.#loading ??= fetchAll().then((summaries) => {
      this.#plans = summaries.map((summary) => new LivePlan(summary));
      this.onLoad();
    }).catch(() => {}).finally(() => { this.#loading = null; });
  }

  /** Returns the plans that were there at a moment. @param {number} time milliseconds */
  at(time) {
    return this.#plans.filter(({ summary: { created_at: begin, ended_at: end, state, expires_at: expiry } }) => {
      const ended = end ?? (state === 'expired' ? expiry : null);
      return Date.parse(begin) <= time && (!ended || Date.parse(ended) > time);
    });
  }
}

async function fetchAll() {
  const plans = [];
  let before = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await getPlans(null, before);
    plans.push(...answer.plans);
    before = answer.next_before;
    if (!before) break;
  }
  return plans;
}
