// An agent's avatar: five by five pixels derived from its id.

import { svg } from '../shared/dom.js';

// Tones that are readable in both themes.
const TONES = ['#e8743b', '#d9a514', '#5aa02c', '#1f9e9a', '#3b8fd1', '#7d7bdc', '#b565c9', '#d65a86', '#a5754a', '#7e8a94'];

/** Returns a well-distributed hash of an id. @param {string} text */
export function hashId(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  value = Math.imul(value ^ (value >>> 15), 2246822507);
  return (value ^ (value >>> 13)) >>> 0;
}

/** @param {number} bits */
function avatarPath(bits) {
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
export function renderAvatar(id) {
  const value = hashId(id);
  return svg('svg', { class: 'avatar', viewBox: '0 0 5 5', 'shape-rendering': 'crispEdges', 'aria-hidden': 'true' },
    svg('path', { d: avatarPath(value >>> 8), fill: TONES[value % TONES.length] }));
}

/** Renders a round avatar for people, so that they are not taken for agents. */
export function renderPersonAvatar() {
  return svg('svg', { class: 'avatar icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    svg('circle', { cx: 8, cy: 6, r: 2.5 }), svg('path', { d: 'M3.5 13.5a4.5 4.5 0 0 1 9 0' }));
}
