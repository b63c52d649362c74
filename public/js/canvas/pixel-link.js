// Creates the buttons that copy a link: to a pixel, whose card it opens, or to all that is shown.

import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';
import { pixelViewFields, shownLink } from '../shared/url-hash.js';

/** @typedef {{x: number, y: number}} Point */

const RESET_MS = 2000;
const MIN_ZOOM = 12;

/**
 * Creates the button that copies a link to a pixel, at the moment and with the lens that are shown.
 * @param {Point} point
 * @param {import('./card-parts.js').CardContext} context
 */
export function createCopyButton(point, context) {
  const { camera } = context.actions.view;
  const { shownSeq } = context.state;
  return createLinkButton(() => shownLink(camera, pixelViewFields(point, camera, MIN_ZOOM), shownSeq), context);
}

/**
 * Copies a link. Without clipboard access (plain http) the address bar holds it.
 * @param {string} link
 * @returns {Promise<boolean>} whether it is copied
 */
export async function copyLink(link) {
  const done = await navigator.clipboard.writeText(link).then(() => true, () => false);
  if (!done) history.replaceState(history.state, '', link);
  return done;
}

/**
 * @param {() => string} makeLink
 * @param {import('./card-parts.js').CardContext} context
 */
export function createLinkButton(makeLink, { actions }) {
  const button = el('button', { type: 'button', 'data-focus-key': 'copy' }, translate('Copy link'));
  button.addEventListener('click', async () => {
    const done = await copyLink(makeLink());
    button.textContent = translate(done ? 'Copied' : 'Now in the address bar');
    actions.announce(translate(done ? 'The link is copied.' : 'The link is in the address bar.'));
    setTimeout(() => { button.textContent = translate('Copy link'); }, RESET_MS);
  });
  return button;
}
