// Creates the button that copies a link to a pixel; the link opens the pixel's card.

import { el } from '../shared/dom.js';

/** @typedef {{x: number, y: number}} Point */

const RESET_MS = 2000;
const MIN_ZOOM = 12;

/**
 * @param {Point} point
 * @param {number} cell how near, in CSS pixels per cell
 */
function pixelUrl({ x, y }, cell) {
  return `${location.origin}${location.pathname}#x=${x}&y=${y}&z=${+Math.max(MIN_ZOOM, cell).toFixed(2)}&pixel=${x}.${y}`;
}

/**
 * @param {Point} point
 * @param {import('./card-parts.js').CardContext} context
 */
export function createCopyButton(point, { actions }) {
  const button = el('button', { type: 'button', 'data-focus-key': 'copy' }, 'Copy link');
  button.addEventListener('click', async () => {
    const link = pixelUrl(point, actions.view.camera.cssCell);
    const done = await navigator.clipboard.writeText(link).then(() => true, () => false);
    // Without clipboard access (plain http) the address bar holds the link.
    if (!done) history.replaceState(history.state, '', link);
    button.textContent = done ? 'Copied' : 'Now in the address bar';
    actions.announce(done ? 'The link is copied.' : 'The link is in the address bar.');
    setTimeout(() => { button.textContent = 'Copy link'; }, RESET_MS);
  });
  return button;
}
