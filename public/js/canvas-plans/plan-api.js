// Requests about plans.

import { get } from '../shared/api.js';

/**
 * Returns a page of the plans in a state, the newest first.
 * @param {'open' | 'finished'} state
 * @param {string | null} before the id of a plan
 * @returns {Promise<{plans: import('../shared/types.js').PlanSummary[], next_before: string | null}>}
 */
export const getPlans = (state, before) => get(`/api/plans?state=${state}&limit=100${before ? `&before=${encodeURIComponent(before)}` : ''}`);

/**
 * Returns a plan with its picture.
 * @param {string} id
 * @returns {Promise<{plan: import('../shared/types.js').Plan}>}
 */
export const getPlan = (id) => get(`/api/plans/${encodeURIComponent(id)}`);
