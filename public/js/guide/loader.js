// Loads the guide after the first view, and shows its tab.

import { loadGuide } from '../shared/lazy-load.js';
import { readPreference } from './preferences.js';

// On smaller screens the guide covers the chat, so it opens only when it is asked for.
const hasOwnColumn = matchMedia('(min-width: 75rem)');

/**
 * @param {HTMLElement} tab
 * @param {import('../canvas/canvas-page.js').CanvasPage} page
 * @param {import('./guide.js').GetTimeBar} timeBar
 */
export async function startGuide(tab, page, timeBar) {
  const { Guide } = await loadGuide();
  const guide = new Guide(tab, page, timeBar);
  const open = () => guide.open({ focus: true });
  const { keys } = page.toolbar;
  keys.g = keys.G = open;
  tab.addEventListener('click', open);
  // A guide that was kept open takes its place at once, not after its tab.
  if (readPreference('open') === 'yes' && hasOwnColumn.matches) guide.open({ focus: false });
  else tab.hidden = false;
}
