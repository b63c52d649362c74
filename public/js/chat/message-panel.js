// A panel under a message, for what its buttons ask for; one at a time. Loaded with the actions of people who are signed in.

import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @type {{panel: HTMLElement, row: HTMLElement} | null} */
let open = null;

/**
 * Opens a panel under a message and focuses a part of it. Escape closes it.
 * @param {HTMLElement} row
 * @param {HTMLElement} panel
 * @param {HTMLElement} focus
 */
export function openPanel(row, panel, focus) {
  closePanel();
  open = { panel, row };
  panel.classList.add('message-panel');
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    // The sheet under it must stay open.
    event.stopPropagation();
    closePanel();
  });
  row.querySelector('.msg-head')?.parentElement?.append(panel);
  focus.focus({ preventScroll: true });
  panel.scrollIntoView({ block: 'nearest' });
}

/** Closes the open panel; the focus returns to its message. */
export function closePanel() {
  if (!open) return;
  const { panel, row } = open;
  open = null;
  const hadFocus = panel.contains(document.activeElement);
  panel.remove();
  if (hadFocus) row.focus({ preventScroll: true });
}

/** Renders the line in which a panel says what went wrong. */
export const renderPanelStatus = () => el('p', { class: 'panel-status', role: 'status' });

/**
 * Says under a message what went wrong.
 * @param {HTMLElement} row
 * @param {(Node | string)[]} words
 */
export function showMessageError(row, words) {
  const status = renderPanelStatus();
  const close = el('button', { type: 'button' }, translate('Close'));
  close.addEventListener('click', closePanel);
  openPanel(row, el('div', {}, status, close), close);
  status.append(...words);
}
