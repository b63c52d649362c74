// The speed of a replay: how fast a stretch of the season plays in a given time of watching.

/** Longer pauses (in time of watching) are skipped. */
export const MAX_IDLE_MS = 3000;
/** The part of a skipped pause that is still played (in time of watching). */
export const SKIP_LEAD_MS = 400;
// Each round skips at least the pauses of the one before, so a few are enough.
const ROUNDS = 8;

/**
 * Returns the speed, as a factor of real time, at which the season plays in about this time from a moment on. Pauses that
 * are skipped hardly count.
 * @param {import('./time-scale.js').TimeScale} scale
 * @param {number} from milliseconds
 * @param {number} seconds of watching
 */
export function speedFor(scale, from, seconds) {
  const { busy, pauses } = scale.stretchesFrom(from);
  let speed = (busy + sum(pauses)) / 1000 / seconds;
  for (let round = 0; round < ROUNDS; round++) {
    const played = pauses.map((pause) => (pause > MAX_IDLE_MS * speed ? SKIP_LEAD_MS * speed : pause));
    speed = (busy + sum(played)) / 1000 / seconds;
  }
  return Math.max(1, speed);
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
