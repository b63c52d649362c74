// The report button of the hovered or focused message. Loaded when a message is first hovered or focused.

import { el } from '../shared/dom.js';
import { loadStylesheet, reportLoadFailure } from '../shared/lazy-load.js';

/**
 * @param {HTMLElement} list
 * @param {(id: string) => import('../shared/types.js').Message | undefined} find
 */
export function startReportButton(list, find) {
  void loadStylesheet('/css/report.css').catch(() => {});
  const button = el('button', { type: 'button', class: 'plain report-button' });
  /** @type {import('../shared/types.js').Message | undefined} */
  let message;
  button.addEventListener('click', () => {
    const about = message;
    if (about) void import('../people/report-dialog.js').then(({ openReport }) => openReport({ kind: 'message', id: about.id, name: about.agent_name }), reportLoadFailure);
  });
  const showOn = (/** @type {EventTarget | null} */ at) => {
    const row = at instanceof Element ? at.closest('.msg') : null;
    // A focused button stays where it is, so that it can be pressed.
    if (!row || row.contains(button) || button === document.activeElement) return;
    message = find(/** @type {HTMLElement} */ (row).dataset.id ?? '');
    const head = row.querySelector('.msg-head');
    if (!message || !head) return;
    button.replaceChildren('Report', el('span', { class: 'sr-only' }, ` what ${message.agent_name} said`));
    head.querySelector('time')?.before(button);
  };
  list.addEventListener('pointerover', (event) => showOn(event.target));
  list.addEventListener('focusin', (event) => showOn(event.target));
  showOn(document.activeElement);
  showOn([...list.querySelectorAll('.msg:hover')].at(-1) ?? null);
}
