// The replay of a first visit: ten seconds that show how the picture came about, and end at the live canvas. Never twice.

import { isKeyTaken } from '../canvas/key-target.js';
import { byId, el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./time-bar.js').TimeBar} TimeBar */
/** @typedef {import('./time-scale.js').TimeScale} TimeScale */

const STORAGE_KEY = 'caraplace-replay-seen';
const SECONDS = 10;
// A replay of less would show nothing.
const MIN_PLACEMENTS = 100;
const MIN_LENGTH_MS = 10 * 60 * 1000;
// The newest part of a long season is enough: more would be a large download without a request of the visitor.
const MAX_PLACEMENTS = 10_000;
const CHECK_MS = 250;
// These move the focus or scroll the page, and skip nothing.
const MOVING_KEYS = ['Tab', 'Shift', 'PageUp', 'PageDown', 'Home', 'End'];

/**
 * Plays the replay if this is a first visit, once the page is visible.
 * @param {TimeBar} bar
 * @param {import('../canvas/canvas-view.js').CanvasView} view
 * @param {() => boolean} isWelcome whether the page is live and the visitor has done nothing yet
 */
export async function replayFirstVisit(bar, view, isWelcome) {
  while (document.hidden) await new Promise((done) => document.addEventListener('visibilitychange', done, { once: true }));
  const { scale } = bar;
  if (!scale || !isWelcome() || !isWorthwhile(scale) || !isUndisturbed(view) || !markSeen()) return;
  const from = scale.total > MAX_PLACEMENTS ? scale.timeOfPlacement(scale.total - MAX_PLACEMENTS) : scale.start;
  const pastView = await bar.playFrom(from, SECONDS);
  if (pastView) showSkipBar(bar, pastView);
}

/** @param {TimeScale} scale */
function isWorthwhile(scale) {
  return scale.total >= MIN_PLACEMENTS && scale.span >= MIN_LENGTH_MS;
}

/**
 * Returns whether motion is welcome, and the page shows what it shows without a link or an action.
 * @param {import('../canvas/canvas-view.js').CanvasView} view
 */
function isUndisturbed({ camera, state }) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches || /** @type {any} */ (navigator).connection?.saveData) return false;
  if (location.hash || location.search) return false;
  return camera.isFitted && state.shownSeq === null && !document.querySelector('dialog[open], :popover-open');
}

/** Remembers that the replay was shown; returns false if it was shown before, or if that cannot be remembered. */
function markSeen() {
  try {
    if (localStorage.getItem(STORAGE_KEY)) return false;
    localStorage.setItem(STORAGE_KEY, 'yes');
    return localStorage.getItem(STORAGE_KEY) !== null;
  } catch {
    return false;
  }
}

/**
 * Shows what is played and how to skip it, until the live canvas is shown or the visitor takes over the time bar.
 * @param {TimeBar} bar
 * @param {import('./past-view.js').PastView} pastView
 */
function showSkipBar(bar, pastView) {
  const skip = el('button', { type: 'button' }, translate('Skip'));
  const node = el('div', { class: 'replay-note', id: 'replay-note' }, el('p', { role: 'status' }, translate('How this picture came about, in {seconds} seconds', { seconds: SECONDS })), skip);
  const frame = byId('frame');
  const listeners = new AbortController();
  const close = () => {
    listeners.abort();
    clearInterval(timer);
    if (node.contains(document.activeElement)) byId('pixels').focus({ preventScroll: true });
    node.remove();
  };
  const finish = () => {
    close();
    void bar.returnToLive();
  };
  const on = (/** @type {EventTarget} */ target, /** @type {string} */ name, /** @type {(event: Event) => void} */ act) => target.addEventListener(name, act, { capture: true, signal: listeners.signal });
  skip.addEventListener('click', finish);
  // A press that skips does not also open a card.
  on(byId('layers'), 'pointerdown', (event) => {
    event.stopPropagation();
    finish();
  });
  on(byId('pixels'), 'wheel', finish);
  on(document, 'keydown', (event) => {
    const pressed = /** @type {KeyboardEvent} */ (event);
    if (pressed.key === 'Escape') return finish();
    if (MOVING_KEYS.includes(pressed.key) || isKeyTaken(pressed, byId('pixels'))) return;
    // Nor does a key that skips.
    event.preventDefault();
    event.stopImmediatePropagation();
    finish();
  });
  frame.append(node);
  const timer = setInterval(() => { if (!pastView.isPlaying) close(); }, CHECK_MS);
}
