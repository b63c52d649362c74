// Shows the guide's tab, and loads the guide when it is first opened. Loaded after the first view.

import { loadStylesheet, once, reportLoadFailure } from '../shared/lazy-load.js';
import { readPreference } from './preferences.js';

/** @typedef {import('./guide.js').Guide} Guide */

const PREFETCH_MS = 5000;
// On smaller screens the guide covers the chat, so it opens only when it is asked for.
const hasOwnColumn = matchMedia('(min-width: 75rem)');

/**
 * @param {HTMLElement} tab
 * @param {import('../canvas/canvas-page.js').CanvasPage} page
 * @param {import('./guide.js').GetTimeBar} timeBar
 */
export async function startGuide(tab, page, timeBar) {
  const load = once(async () => {
    const [{ Guide }] = await Promise.all([import('./guide.js'), loadStylesheet('/css/guide.css')]);
    return new Guide(tab, page, timeBar);
  });
  const withGuide = (/** @type {(guide: Guide) => void} */ act) => void load().then(act, reportLoadFailure);
  const open = () => withGuide((guide) => guide.open({ focus: true }));
  const { keys } = page.toolbar;
  keys.g = keys.G = open;
  tab.addEventListener('click', open);
  // A guide that was kept open takes its place at once, not after its tab.
  if (readPreference('open') === 'yes' && hasOwnColumn.matches && await reopen(load)) return;
  await loadStylesheet('/css/guide.css');
  tab.hidden = false;
  // Browsers do not retry a module that failed to load, so it is loaded while the server answers.
  setTimeout(() => void load().catch(() => {}), PREFETCH_MS);
}

/**
 * Opens the guide that was kept open; returns false if it did not load.
 * @param {() => Promise<Guide>} load
 */
async function reopen(load) {
  const guide = await load().catch(reportLoadFailure);
  guide?.open({ focus: false });
  return Boolean(guide);
}
