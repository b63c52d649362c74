// The list of all plans, read once for everything that shows plans of the past: their outlines and the chapters.

import { getPlans } from './plan-api.js';

/** @typedef {import('../shared/types.js').PlanSummary} PlanSummary */

// Enough for all plans of a season that somebody painted, which come first.
const MAX_PAGES = 10;

/** The newest reading of the list; `null` if there is none, it has failed, or a plan has changed since. @type {Promise<PlanSummary[]> | null} */
let newest = null;

/** Returns all plans, also ended ones and those of other seasons. They are read again only after a change or a failure. */
export function readAllPlans() {
  if (newest) return newest;
  const reading = fetchAll();
  newest = reading;
  reading.catch(() => { if (newest === reading) newest = null; });
  return reading;
}

/** Lets the next reader read the list again, because a plan has changed or may have. */
export function forgetAllPlans() {
  newest = null;
}

async function fetchAll() {
  /** @type {PlanSummary[]} */ const plans = [];
  let before = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    /** @type {import('../shared/types.js').PlanPage} */ const answer = await getPlans(null, before);
    plans.push(...answer.plans);
    before = answer.next_before;
    if (!before) break;
  }
  return plans;
}
