// Requests about plans.

import { get } from '../shared/api.js';

/**
 * Returns a page of the plans in a state, or in all, those that most painters help first.
 * @param {import('../shared/types.js').PlanSummary['state'] | null} state
 * @param {string | null} before the id of a plan
 * @returns {Promise<import('../shared/types.js').PlanPage>}
 */
export const getPlans = (state, before) => get(`/api/plans?limit=100${state ? `&state=${state}` : ''}${before ? `&before=${encodeURIComponent(before)}` : ''}`);

/**
 * Returns a plan with its picture.
 * @param {string} id
 * @returns {Promise<import('../shared/types.js').Responses['GET /api/plans/{id}']>}
 */
export const getPlan = (id) => get(`/api/plans/${encodeURIComponent(id)}`);
