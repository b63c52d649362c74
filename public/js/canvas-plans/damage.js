// Finds the damaged pixels of a plan: the server counts them, the history of the pixels tells which they are.

import { getHeatmap, getPixel } from '../shared/api.js';

/** @typedef {{index: number, x: number, y: number, color: number}} Suspect  a wrong pixel and its wanted colour */

const MAX_HISTORIES = 40;
// The ages of all pixels of a larger canvas are too much to load for this.
const MAX_HEATMAP_CELLS = 256 * 256;
const HISTORIES_AT_ONCE = 4;

/**
 * Finds the damaged pixels where the server's count allows it with few requests.
 * @param {import('./live-plan.js').LivePlan} plan with its picture
 * @param {number} cells the size of the canvas
 */
export async function locateDamage({ progress, summary }, cells) {
  if (!progress) return;
  const made = Date.parse(summary.created_at);
  let suspects = progress.findSuspects();
  if (suspects.length > MAX_HISTORIES && cells <= MAX_HEATMAP_CELLS) suspects = await findPaintedSince(suspects, made);
  if (suspects.length === progress.unknownDamaged) return progress.recordDamage(suspects);
  if (suspects.length > MAX_HISTORIES) return;
  /** @type {Suspect[]} */ const damaged = [];
  for (let first = 0; first < suspects.length; first += HISTORIES_AT_ONCE) {
    const some = suspects.slice(first, first + HISTORIES_AT_ONCE);
    const answers = await Promise.all(some.map((suspect) => wasRightSince(suspect, made).catch(() => false)));
    damaged.push(...some.filter((_, place) => answers[place]));
  }
  progress.recordDamage(damaged);
}

/**
 * Returns the pixels that were painted after a time.
 * @param {Suspect[]} suspects
 * @param {number} time milliseconds
 */
async function findPaintedSince(suspects, time) {
  const heatmap = await getHeatmap('age').catch(() => null);
  if (!heatmap) return [];
  const age = (Date.now() - time) / 1000;
  return suspects.filter(({ x, y }) => {
    const painted = heatmap.values[y * heatmap.width + x];
    return painted >= 0 && painted <= age;
  });
}

/**
 * Returns whether a pixel had its wanted colour after a time.
 * @param {Suspect} suspect
 * @param {number} time milliseconds
 */
async function wasRightSince({ x, y, color }, time) {
  const { history = [] } = await getPixel(x, y);
  // The placement before each one in the list, the newest first, has replaced it.
  return history.some((placement, place) => place > 0 && placement.color === color && Date.parse(history[place - 1].placed_at ?? '') >= time);
}
