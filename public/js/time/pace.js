// The pace of a replay: how fast a part of the season plays, and which pauses are skipped, so that it takes the chosen time.

/** The longest pause while there is more to show, in milliseconds of watching. */
const USUAL_PAUSE_MS = 1000;
/** No replay is slower than real time: it would never reach a season that goes on. Pauses become longer instead. */
const MIN_SPEED = 1;

/** The relative error of sums, within which a pause is as long as the longest one. */
const ROUNDING = 1e-9;

/** @typedef {{busy: number, pauses: number[]}} Stretches  milliseconds of the season: with placements, and between two of them */
/** @typedef {{speed: number, pause: number}} Pace  a factor of real time, and the longest pause in milliseconds of watching: of a longer one, only the end is played */

/**
 * Returns the pace at which stretches of the season play in a time of watching.
 * @param {Stretches} stretches
 * @param {number} watching milliseconds
 * @returns {Pace}
 */
export function paceFor(stretches, watching) {
  const { busy, pauses } = stretches;
  // A few pauses with nothing between them share the time.
  const pause = busy ? USUAL_PAUSE_MS : Math.max(USUAL_PAUSE_MS, watching / pauses.filter((length) => length > 0).length);
  const speed = speedFor(stretches, pause, watching);
  return speed >= MIN_SPEED ? { speed, pause } : { speed: MIN_SPEED, pause: pauseFor(stretches, MIN_SPEED, watching) };
}

/**
 * Returns the time of watching that stretches take at a pace, in milliseconds.
 * @param {Stretches} stretches
 * @param {Pace} pace
 */
export const watchingTime = ({ busy, pauses }, { speed, pause }) =>
  busy / speed + sum(pauses.map((length) => Math.min(length / speed, pause)));

/**
 * Returns the speed at which stretches play in a time of watching if no pause is longer than this.
 * @param {Stretches} stretches
 * @param {number} pause milliseconds of watching
 * @param {number} watching milliseconds
 */
function speedFor({ busy, pauses }, pause, watching) {
  const shortestFirst = [...pauses].sort((a, b) => a - b);
  // Sums from the shortest on: subtracting from a total would leave its rounding error behind.
  const played = [busy];
  for (const length of shortestFirst) played.push(played[played.length - 1] + length);
  let count = pauses.length;
  const left = () => watching - (pauses.length - count) * pause;
  while (count && shortestFirst[count - 1] * left() > pause * played[count] * (1 + ROUNDING)) count--;
  return played[count] / left();
}

/**
 * Returns the longest pause with which stretches play in a time of watching at a speed; infinite if they are too short for it.
 * @param {Stretches} stretches
 * @param {number} speed
 * @param {number} watching milliseconds
 */
function pauseFor({ busy, pauses }, speed, watching) {
  let [left, count] = [watching - busy / speed, pauses.length];
  for (const shortest of [...pauses].sort((a, b) => a - b)) {
    if (shortest / speed * count >= left) return left / count;
    left -= shortest / speed;
    count--;
  }
  return Infinity;
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
