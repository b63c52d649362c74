// Shares a link to what the canvas shows: with the system's own dialog on phones, else by copying it.

import { copyLink } from './pixel-link.js';
import { byId } from '../shared/dom.js';
import { showNotice } from '../shared/lazy-load.js';
import { translate } from '../shared/translate.js';
import { pixelFields, shownLink } from '../shared/url-hash.js';

const RESET_MS = 2000;
let resetTimer = 0;

/**
 * @param {import('./canvas-view.js').CanvasView} view
 * @param {import('./canvas-state.js').CanvasState} state
 */
export async function shareView({ camera, renderer }, { shownSeq }) {
  const { selected } = renderer.overlay;
  const link = shownLink(camera, selected ? pixelFields(selected) : {}, shownSeq);
  if (matchMedia('(pointer: coarse)').matches && await shareWithSystem(link)) return;
  if (!await copyLink(link)) return showNotice(translate('The link is in the address bar.'));
  const label = byId('share-label');
  label.textContent = translate('Copied');
  byId('announcement').textContent = translate('The link is copied.');
  clearTimeout(resetTimer);
  resetTimer = setTimeout(() => { label.textContent = translate('Share'); }, RESET_MS);
}

/**
 * @param {string} url
 * @returns {Promise<boolean>} false if the system cannot share; true also if the visitor has closed its dialog
 */
async function shareWithSystem(url) {
  if (!navigator.share) return false;
  return navigator.share({ title: document.title, url }).then(() => true, (error) => error.name === 'AbortError');
}
