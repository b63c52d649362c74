// Requests what the card of a pixel or an agent shows; what does not load is missing.

import { getAgent, getPixel, getStory } from '../shared/api.js';

/** @typedef {{x: number, y: number}} Point */

// The card does not wait longer for the plans, which load after it on a slow connection.
const PLANS_TIMEOUT_MS = 1500;

/** @param {string} id */
export const lookUpAgent = (id) => getAgent(id).catch(() => null);

/**
 * Loads a pixel, its story and the plans for it; without the last two, the painter and the history are left.
 * @param {Point | null} point
 * @param {import('./inspector.js').PageActions} actions
 */
export async function lookUpPixel(point, { plansAt }) {
  if (!point) return null;
  const [pixel, story, plans] = await Promise.all([
    getPixel(point.x, point.y).catch(() => null),
    getStory(point.x, point.y).catch(() => null),
    withinTimeout(plansAt(point)),
  ]);
  return pixel && { pixel, story, plans };
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
