// The chat as a sheet on small screens: one button opens it, Escape closes it.

import { byId } from './dom.js';

const small = matchMedia('(max-width: 59.99rem)');

/** @returns {{close: () => void}} closes the sheet where there is one */
export function startSheet() {
  const sheet = byId('chat');
  const toggle = byId('sheet-toggle');
  const set = (/** @type {boolean} */ open) => {
    sheet.toggleAttribute('data-open', open);
    toggle.setAttribute('aria-expanded', String(open));
  };
  toggle.addEventListener('click', () => set(!sheet.hasAttribute('data-open')));
  sheet.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !small.matches || !sheet.hasAttribute('data-open')) return;
    set(false);
    toggle.focus();
  });
  return { close: () => { if (small.matches) set(false); } };
}
