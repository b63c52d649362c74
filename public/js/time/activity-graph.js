// The activity of the season as bars behind the slider.

import { byId } from '../shared/dom.js';

/** @param {number[]} counts */
export function drawActivityGraph(counts) {
  const graph = byId('time-graph');
  // A logarithmic scale keeps two placements visible beside ten thousand.
  const top = Math.log1p(Math.max(1, ...counts));
  const bars = counts.map((count, i) => {
    const height = count ? Math.max(0.08, Math.log1p(count) / top) : 0.02;
    return `M${i} 1V${(1 - height).toFixed(3)}h1V1z`;
  });
  graph.setAttribute('viewBox', `0 0 ${Math.max(1, counts.length)} 1`);
  for (const path of graph.children) path.setAttribute('d', bars.join(''));
}
