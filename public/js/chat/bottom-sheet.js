// The chat as a bottom sheet on small screens: opened by its head or button, remembered for the visit, closed by Escape.

import { byId } from '../shared/dom.js';

const isSmallScreen = matchMedia('(max-width: 59.99rem)');
const STORAGE_KEY = 'caraplace-sheet';
const DRAG_TOLERANCE_PX = 8;
const TOGGLE_DISTANCE_PX = 60;

/** @param {boolean} open */
function storeState(open) {
  try {
    sessionStorage.setItem(STORAGE_KEY, open ? 'open' : '');
  } catch {
    console.info('this browser keeps nothing for this page');
  }
}

function readState() {
  try {
    return sessionStorage.getItem(STORAGE_KEY) === 'open';
  } catch {
    return false;
  }
}

/** @returns {{close: () => void}} closes the sheet on small screens */
export function startBottomSheet() {
  const sheet = byId('chat');
  const toggle = byId('sheet-toggle');
  const set = (/** @type {boolean} */ open) => {
    sheet.toggleAttribute('data-open', open);
    toggle.setAttribute('aria-expanded', String(open));
    storeState(open);
  };
  set(readState());
  toggle.addEventListener('click', () => set(!sheet.hasAttribute('data-open')));
  sheet.addEventListener('showchat', () => { if (isSmallScreen.matches) set(true); });
  sheet.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isSmallScreen.matches || !sheet.hasAttribute('data-open')) return;
    set(false);
    toggle.focus();
  });
  startDrag(sheet, set);
  return { close: () => { if (isSmallScreen.matches) set(false); } };
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
 * @param {(open: boolean) => void} set
 */
function startDrag(sheet, set) {
  const head = /** @type {HTMLElement} */ (sheet.firstElementChild);
  /** @type {{y: number, open: boolean, by: number} | null} */
  let drag = null;
  head.addEventListener('pointerdown', (event) => {
    if (isSmallScreen.matches && event.isPrimary) drag = { y: event.clientY, open: sheet.hasAttribute('data-open'), by: 0 };
  });
  head.addEventListener('pointermove', (event) => {
    if (!drag || (!drag.by && Math.abs(event.clientY - drag.y) < DRAG_TOLERANCE_PX)) return;
    drag.by = event.clientY - drag.y;
    head.setPointerCapture(event.pointerId);
    const hidden = sheet.offsetHeight - head.offsetHeight;
    sheet.toggleAttribute('data-dragged', true);
    sheet.style.transform = `translateY(${Math.min(hidden, Math.max(0, (drag.open ? 0 : hidden) + drag.by))}px)`;
  });
  const end = () => {
    if (drag && Math.abs(drag.by) > TOGGLE_DISTANCE_PX) set(drag.by < 0);
    if (drag?.by) suppressClick(head);
    drag = null;
    sheet.removeAttribute('data-dragged');
    sheet.style.transform = '';
  };
  for (const name of ['pointerup', 'pointercancel']) head.addEventListener(name, end);
}
