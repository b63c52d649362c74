// The activity of the season as bars behind the slider, and its chapters as ticks.

import { byId } from '../shared/dom.js';

const MAX_BARS = 240;

/** @param {number[]} counts */
export function drawActivityGraph(counts) {
  const perBar = Math.max(1, Math.ceil(counts.length / MAX_BARS));
  const sums = Array.from({ length: Math.ceil(counts.length / perBar) }, (_, i) => counts.slice(i * perBar, (i + 1) * perBar).reduce((sum, count) => sum + count, 0));
  // A logarithmic scale keeps two placements visible beside ten thousand.
  const top = Math.log1p(Math.max(1, ...sums));
  const bars = sums.map((count, i) => {
    const height = count ? Math.max(0.08, Math.log1p(count) / top) : 0.02;
    return `M${i} 1V${(1 - height).toFixed(3)}h1V1z`;
  });
  const graph = byId('time-graph');
  graph.setAttribute('viewBox', `0 0 ${Math.max(1, counts.length) / perBar} 1`);
  for (const path of graph.querySelectorAll('.bars')) path.setAttribute('d', bars.join(''));
}

/** Draws ticks at these fractions of the scale. @param {number[]} fractions */
export function drawTicks(fractions) {
  byId('time-ticks').setAttribute('d', fractions.map((fraction) => `M${(fraction * 1000).toFixed(1)} 0v1`).join(''));
}
