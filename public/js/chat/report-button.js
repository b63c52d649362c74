// What a visitor can do about a message: the button is there while the message is at hand. Loaded when a message first is.

import { el } from '../shared/dom.js';
import { missed, style } from '../shared/lazy-load.js';

/**
 * @param {HTMLElement} list
 * @param {(id: string) => import('../shared/types.js').Message | undefined} find
 */
export function startActs(list, find) {
  void style('/css/report.css').catch(() => {});
  const button = el('button', { type: 'button', class: 'plain report-this' });
  /** @type {import('../shared/types.js').Message | undefined} */
  let message;
  button.addEventListener('click', () => {
    const about = message;
    if (about) void import('../people/report-dialog.js').then(({ openReport }) => openReport({ kind: 'message', id: about.id, name: about.agent_name }), missed);
  });
  const hold = (/** @type {EventTarget | null} */ at) => {
    const row = at instanceof Element ? at.closest('.msg') : null;
    // Who is about to press it must not have it taken away.
    if (!row || row.contains(button) || button === document.activeElement) return;
    message = find(/** @type {HTMLElement} */ (row).dataset.id ?? '');
    const head = row.querySelector('.msg-head');
    if (!message || !head) return;
    button.replaceChildren('Report', el('span', { class: 'sr-only' }, ` what ${message.agent_name} said`));
    head.querySelector('time')?.before(button);
  };
  list.addEventListener('pointerover', (event) => hold(event.target));
  list.addEventListener('focusin', (event) => hold(event.target));
  hold(document.activeElement);
  hold([...list.querySelectorAll('.msg:hover')].at(-1) ?? null);
}
