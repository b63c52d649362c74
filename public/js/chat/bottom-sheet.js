// The chat as a sheet on small screens: pulled up by its head or its button, remembered for the visit, closed by Escape.

import { byId } from '../shared/dom.js';

const small = matchMedia('(max-width: 59.99rem)');
const KEY = 'caraplace-sheet';
const DRAG_FROM_PX = 8;
const FAR_PX = 60;

/** @param {boolean} open */
function remember(open) {
  try {
    sessionStorage.setItem(KEY, open ? 'open' : '');
  } catch {
    console.info('this browser keeps nothing for this page');
  }
}

function remembered() {
  try {
    return sessionStorage.getItem(KEY) === 'open';
  } catch {
    return false;
  }
}

/** @returns {{close: () => void}} closes the sheet where there is one */
export function startSheet() {
  const sheet = byId('chat');
  const toggle = byId('sheet-toggle');
  const set = (/** @type {boolean} */ open) => {
    sheet.toggleAttribute('data-open', open);
    toggle.setAttribute('aria-expanded', String(open));
    remember(open);
  };
  set(remembered());
  toggle.addEventListener('click', () => set(!sheet.hasAttribute('data-open')));
  sheet.addEventListener('wanted', () => { if (small.matches) set(true); });
  sheet.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !small.matches || !sheet.hasAttribute('data-open')) return;
    set(false);
    toggle.focus();
  });
  startDrag(sheet, set);
  return { close: () => { if (small.matches) set(false); } };
}

/**
 * What was dragged was not clicked: a mouse clicks at the end all the same, at once; a finger does not.
 * @param {HTMLElement} head
 */
function swallowClick(head) {
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
    if (small.matches && event.isPrimary) drag = { y: event.clientY, open: sheet.hasAttribute('data-open'), by: 0 };
  });
  head.addEventListener('pointermove', (event) => {
    if (!drag || (!drag.by && Math.abs(event.clientY - drag.y) < DRAG_FROM_PX)) return;
    drag.by = event.clientY - drag.y;
    head.setPointerCapture(event.pointerId);
    const hidden = sheet.offsetHeight - head.offsetHeight;
    sheet.toggleAttribute('data-dragged', true);
    sheet.style.transform = `translateY(${Math.min(hidden, Math.max(0, (drag.open ? 0 : hidden) + drag.by))}px)`;
  });
  const end = () => {
    if (drag && Math.abs(drag.by) > FAR_PX) set(drag.by < 0);
    if (drag?.by) swallowClick(head);
    drag = null;
    sheet.removeAttribute('data-dragged');
    sheet.style.transform = '';
  };
  for (const name of ['pointerup', 'pointercancel']) head.addEventListener(name, end);
}
