// An agent's avatar: five by five pixels in two tones, derived from its id; the same as the server's (identicon.rs).

import { svg } from '../shared/dom.js';

// Tones with a contrast of 3 to 1 or more on the light and on the dark background. Neighbours differ in lightness, too.
const TONES = ['#d75954', '#9e5a0c', '#998203', '#447801', '#009572', '#117780', '#0a8bce', '#595fc7', '#a966cb', '#b0407f'];
// Two pixels that every avatar has, so that each shows both tones.
const ALWAYS = 1 << 4 | 1 << 10;

/** Returns a well-distributed hash of an id. @param {string} text */
export function hashId(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  value = Math.imul(value ^ (value >>> 15), 2246822507);
  return (value ^ (value >>> 13)) >>> 0;
}

/** Returns another hash from a hash. @param {number} value */
function mix(value) {
  const mixed = Math.imul(value ^ (value >>> 16), 73244475);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/**
 * Returns the pixels of some rows as a path; the right half mirrors the left one.
 * @param {number} bits three for each row
 * @param {number} from the first row
 * @param {number} to the row after the last one
 */
function avatarPath(bits, from, to) {
  let d = '';
  for (let row = from; row < to; row++) {
    for (let column = 0; column < 3; column++) {
      if (!((bits >>> (row * 3 + column)) & 1)) continue;
      d += `M${column} ${row}h1v1h-1z`;
      if (column < 2) d += `M${4 - column} ${row}h1v1h-1z`;
    }
  }
  return d;
}

/** @param {string} id */
export function renderAvatar(id) {
  const value = hashId(id);
  const other = mix(value);
  const bits = (value >>> 8) | ALWAYS;
  const split = 2 + ((other >>> 8) & 1);
  const upper = value % TONES.length;
  const lower = (upper + 2 + other % (TONES.length - 3)) % TONES.length;
  return svg('svg', { class: 'avatar', viewBox: '0 0 5 5', 'shape-rendering': 'crispEdges', 'aria-hidden': 'true' },
    svg('path', { d: avatarPath(bits, 0, split), fill: TONES[upper] }),
    svg('path', { d: avatarPath(bits, split, 5), fill: TONES[lower] }));
}

/** Renders a round avatar for people, so that they are not taken for agents. */
export function renderPersonAvatar() {
  return svg('svg', { class: 'avatar icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    svg('circle', { cx: 8, cy: 6, r: 2.5 }), svg('path', { d: 'M3.5 13.5a4.5 4.5 0 0 1 9 0' }));
}
