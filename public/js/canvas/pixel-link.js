// Copies an address that leads to a pixel and opens its card there.

import { el } from '../shared/dom.js';

/** @typedef {{x: number, y: number}} Spot */

const BACK_MS = 2000;
const NEAR = 12;

/**
 * @param {Spot} spot
 * @param {number} cell how near, in CSS pixels per cell
 */
function address({ x, y }, cell) {
  return `${location.origin}${location.pathname}#x=${x}&y=${y}&z=${+Math.max(NEAR, cell).toFixed(2)}&pixel=${x}.${y}`;
}

/**
 * @param {Spot} spot
 * @param {import('./card-parts.js').Around} around
 */
export function copyButton(spot, { room }) {
  const button = el('button', { type: 'button', 'data-key': 'copy' }, 'Copy link');
  button.addEventListener('click', async () => {
    const link = address(spot, room.view.camera.cssCell);
    const done = await navigator.clipboard.writeText(link).then(() => true, () => false);
    // Where the clipboard is closed (plain http), the address bar holds the link.
    if (!done) history.replaceState(null, '', link);
    button.textContent = done ? 'Copied' : 'Now in the address bar';
    room.say(done ? 'The link is copied.' : 'The link is in the address bar.');
    setTimeout(() => { button.textContent = 'Copy link'; }, BACK_MS);
  });
  return button;
}
