// Requests about plans.

import { get } from '../shared/api.js';
import { post, put } from '../shared/send.js';

/** @typedef {import('../shared/types.js').Responses} Responses */
/** @typedef {import('./types.js').Area} Area */
/** @typedef {import('./types.js').PlanFields} PlanFields */

/**
 * Returns a part of the canvas.
 * @param {Area} area
 * @param {string | number | null} at a sequence number or a time; `null` for the current canvas
 * @returns {Promise<import('../shared/types.js').CanvasBody>}
 */
export function getRegion({ x, y, width, height }, at) {
  const moment = at === null ? '' : `&at=${encodeURIComponent(at)}`;
  return get(`/api/canvas/region?x1=${x}&y1=${y}&x2=${x + width - 1}&y2=${y + height - 1}${moment}`);
}

/**
 * @param {string} id
 * @returns {Promise<import('../shared/types.js').Plan>}
 */
export const getPlan = async (id) => (await get(`/api/plans/${id}`)).plan;

/**
 * Returns the placements in a plan's area from its opening until its end, oldest first.
 * @param {string} id
 * @param {number} after the sequence number of the last placement that is known
 * @returns {Promise<import('./types.js').PlacementPage>}
 */
export const getPlacements = (id, after) => get(`/plans/${id}/placements?after=${after}`);

/**
 * @param {PlanFields} fields
 * @param {Record<string, string>} headers
 * @returns {Promise<Responses['POST /api/plans']>}
 */
export const postPlan = (fields, headers) => post('/api/plans', fields, headers);

/**
 * Changes a plan that still has the expected version.
 * @param {string} id
 * @param {PlanFields & {expected_version: number}} fields
 * @param {Record<string, string>} headers
 * @returns {Promise<Responses['PUT /api/plans/{id}']>}
 */
export const putPlan = (id, fields, headers) => put(`/api/plans/${id}`, fields, headers);

/**
 * Ends a plan.
 * @param {string} id
 * @returns {Promise<Responses['POST /api/plans/{id}/close']>}
 */
export const closePlan = (id) => post(`/api/plans/${id}/close`, {});
