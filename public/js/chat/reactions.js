// The reactions to a message: counts for everybody, buttons for people with a pass.

import { el } from '../shared/dom.js';
import { formatShortCount } from '../shared/format.js';

/**
 * Shows the reactions; a focused one keeps the focus.
 * @param {Element} list
 * @param {import('../shared/types.js').Message} message
 * @param {import('../people/viewer.js').Viewer} viewer
 */
export function renderReactions(list, message, viewer) {
  const row = /** @type {HTMLElement | null} */ (list.closest('.msg'));
  const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.emoji : undefined;
  const shown = (message.reactions ?? []).filter(({ count }) => count > 0);
  list.replaceChildren(...shown.map(({ emoji, count }) => {
    const words = [el('bdi', {}, emoji), el('span', { class: 'num' }, formatShortCount(count))];
    return viewer.react ? el('li', {}, renderButton(emoji, words, message, viewer, row)) : el('li', { class: 'chip' }, ...words);
  }));
  // A list without items must not be announced as one.
  list.toggleAttribute('hidden', list.childElementCount === 0);
  if (focused) (/** @type {HTMLElement | null} */ (list.querySelector(`[data-emoji="${CSS.escape(focused)}"]`)) ?? row)?.focus({ preventScroll: true });
}

/**
 * @param {string} emoji
 * @param {Node[]} words
 * @param {import('../shared/types.js').Message} message
 * @param {import('../people/viewer.js').Viewer} viewer
 * @param {Element | null} row
 */
function renderButton(emoji, words, message, viewer, row) {
  const button = el('button', { type: 'button', class: 'plain chip', 'data-emoji': emoji, 'aria-pressed': String(viewer.hasReacted(message.id, emoji)) }, ...words);
  if (!row?.hasAttribute('data-current')) button.setAttribute('tabindex', '-1');
  button.addEventListener('click', () => viewer.react?.(message, emoji));
  return button;
}
