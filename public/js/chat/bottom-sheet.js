// The chat as a bottom sheet on small screens: its head or button opens it by half, so that the canvas stays in sight, then
// in full; remembered for the visit, closed by Escape.

import { byId } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {'' | 'half' | 'full'} Height  empty while only the head of the sheet is in sight */

/** The same screens as in bottom-sheet.css: on those that are wide and low, the chat is a column. */
const hasSheet = matchMedia('(max-width: 59.99rem) and (not ((min-width: 33rem) and (min-aspect-ratio: 4/3) and (max-height: 29.99rem)))');
const STORAGE_KEY = 'caraplace-sheet';
const DRAG_TOLERANCE_PX = 8;
const TOGGLE_DISTANCE_PX = 60;
/** The next action of the button, for screen readers. @type {Record<Height, string>} */
const LABELS = { '': translate('Show the chat'), half: translate('Show more of the chat'), full: translate('Hide the chat') };
/** The height after a tap. @type {Record<Height, Height>} */
const NEXT = { '': 'half', half: 'full', full: '' };

/** @param {Height} height */
function storeState(height) {
  try {
    sessionStorage.setItem(STORAGE_KEY, height);
  } catch {
    console.info('this browser keeps nothing for this page');
  }
}

/** @returns {Height} */
function readState() {
  try {
    const stored = sessionStorage.getItem(STORAGE_KEY);
    return stored === 'half' || stored === 'full' ? stored : '';
  } catch {
    return '';
  }
}

/** @returns {{close: () => void}} closes the sheet on small screens */
export function startBottomSheet() {
  const sheet = byId('chat');
  const toggle = byId('sheet-toggle');
  const label = /** @type {Element} */ (toggle.firstElementChild);
  let height = readState();
  const set = (/** @type {Height} */ next) => {
    height = next;
    sheet.toggleAttribute('data-open', height !== '');
    sheet.toggleAttribute('data-full', height === 'full');
    toggle.setAttribute('aria-expanded', String(height !== ''));
    label.textContent = LABELS[height];
    storeState(height);
  };
  set(height);
  toggle.addEventListener('click', () => set(NEXT[height]));
  sheet.addEventListener('showchat', () => { if (hasSheet.matches && !height) set('half'); });
  // The keyboard of the device takes half of the screen.
  sheet.addEventListener('focusin', ({ target }) => { if (height && target instanceof Element && target.matches('textarea, input')) set('full'); });
  sheet.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !hasSheet.matches || !height) return;
    set('');
    toggle.focus();
  });
  startDrag(sheet, () => height, set);
  return { close: () => { if (hasSheet.matches) set(''); } };
}

/**
 * Suppresses the click that a mouse, unlike a finger, adds at the end of a drag.
 * @param {HTMLElement} head
 */
function suppressClick(head) {
  const swallow = (/** @type {Event} */ event) => event.stopPropagation();
  head.addEventListener('click', swallow, true);
  setTimeout(() => head.removeEventListener('click', swallow, true), 0);
}

/**
 * @param {HTMLElement} sheet
 * @param {() => Height} heightNow
 * @param {(height: Height) => void} set
 */
function startDrag(sheet, heightNow, set) {
  const head = /** @type {HTMLElement} */ (sheet.firstElementChild);
  /** @type {{y: number, seen: number, by: number} | null} */
  let drag = null;
  head.addEventListener('pointerdown', (event) => {
    if (hasSheet.matches && event.isPrimary) drag = { y: event.clientY, seen: heightNow() ? sheet.offsetHeight : head.offsetHeight, by: 0 };
  });
  head.addEventListener('pointermove', (event) => {
    if (!drag || (!drag.by && Math.abs(event.clientY - drag.y) < DRAG_TOLERANCE_PX)) return;
    drag.by = event.clientY - drag.y;
    head.setPointerCapture(event.pointerId);
    const seen = Math.max(head.offsetHeight, drag.seen - drag.by);
    sheet.toggleAttribute('data-dragged', true);
    // Higher than it is, it grows; the style sheet bounds it.
    if (heightNow() !== 'full') sheet.style.height = `${Math.max(seen, drag.seen)}px`;
    sheet.style.transform = `translateY(${Math.max(0, sheet.offsetHeight - seen)}px)`;
  });
  const end = () => {
    if (drag && Math.abs(drag.by) > TOGGLE_DISTANCE_PX) set(targetOf(heightNow(), drag.by));
    if (drag?.by) suppressClick(head);
    drag = null;
    sheet.removeAttribute('data-dragged');
    Object.assign(sheet.style, { height: '', transform: '' });
  };
  for (const name of ['pointerup', 'pointercancel']) head.addEventListener(name, end);
}

/**
 * Returns the height after a drag: the next one in its direction, or the last one after a long drag.
 * @param {Height} height
 * @param {number} by pixels, downwards
 * @returns {Height}
 */
function targetOf(height, by) {
  const isLong = Math.abs(by) > innerHeight / 2;
  if (by < 0) return height || isLong ? 'full' : 'half';
  return height === 'full' && !isLong ? 'half' : '';
}
