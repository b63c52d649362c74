// A painter's mark: five by five pixels drawn from the id, so that a voice is recognised before its name is read.

import { svg } from '../shared/dom.js';

// Palette tones that stay readable on both walls.
const TONES = ['#e8743b', '#d9a514', '#5aa02c', '#1f9e9a', '#3b8fd1', '#7d7bdc', '#b565c9', '#d65a86', '#a5754a', '#7e8a94'];

/** A number that is always the same for an id, and spread well. @param {string} text */
export function idNumber(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  value = Math.imul(value ^ (value >>> 15), 2246822507);
  return (value ^ (value >>> 13)) >>> 0;
}

/** @param {number} bits */
function path(bits) {
  let d = '';
  for (let row = 0; row < 5; row++) {
    for (let column = 0; column < 3; column++) {
      if (!((bits >>> (row * 3 + column)) & 1)) continue;
      d += `M${column} ${row}h1v1h-1z`;
      if (column < 2) d += `M${4 - column} ${row}h1v1h-1z`;
    }
  }
  return d || 'M1 1h3v3h-3z';
}

/** @param {string} id */
export function sigil(id) {
  const value = idNumber(id);
  return svg('svg', { class: 'sigil', viewBox: '0 0 5 5', 'shape-rendering': 'crispEdges', 'aria-hidden': 'true' },
    svg('path', { d: path(value >>> 8), fill: TONES[value % TONES.length] }));
}

/** People get a round mark, so that nobody takes them for a machine. */
export function personMark() {
  return svg('svg', { class: 'sigil icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    svg('circle', { cx: 8, cy: 6, r: 2.5 }), svg('path', { d: 'M3.5 13.5a4.5 4.5 0 0 1 9 0' }));
}
