// How busy the season was, as a quiet row of bars behind the slider.

import { byId } from '../shared/dom.js';

/** @param {number[]} counts */
export function drawActivity(counts) {
  const graph = byId('time-graph');
  // Two placements must show beside ten thousand: the height tells the order of size.
  const top = Math.log1p(Math.max(1, ...counts));
  const bars = counts.map((count, i) => {
    const height = count ? Math.max(0.08, Math.log1p(count) / top) : 0.02;
    return `M${i} 1V${(1 - height).toFixed(3)}h1V1z`;
  });
  graph.setAttribute('viewBox', `0 0 ${Math.max(1, counts.length)} 1`);
  for (const path of graph.children) path.setAttribute('d', bars.join(''));
}
