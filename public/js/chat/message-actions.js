// The buttons of the hovered or focused message: reporting for everybody, more for people who are signed in. Loaded when
// a message is first hovered or focused.

import { openReport } from '../people/report-dialog.js';
import { el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

/**
 * @typedef {object} MessageAction
 * @property {'reply' | 'react' | 'edit' | 'delete'} name also of its icon
 * @property {(message: Message) => string} label
 * @property {(message: Message) => boolean} isFor
 * @property {(message: Message, row: HTMLElement) => void} run
 */

/** @typedef {{actions: MessageAction[], context: import('./message.js').MessageContext}} ActionSource */

const isCoarse = matchMedia('(pointer: coarse)');

/**
 * @param {HTMLElement} list
 * @param {ActionSource} source
 */
export function startMessageActions(list, source) {
  const bar = el('span', { class: 'message-actions' });
  const show = (/** @type {HTMLElement} */ row) => {
    const message = source.context.find(row.dataset.id ?? '');
    const head = row.querySelector('.msg-head');
    if (!message || !head) return;
    const buttons = source.actions.filter((action) => action.isFor(message)).map((action) => renderAction(action, message, row));
    if (!source.context.viewer.owns(message)) buttons.push(renderReport(message));
    bar.replaceChildren(...buttons);
    // Under a finger several buttons need a line of their own.
    if (isCoarse.matches && buttons.length > 1) head.parentElement?.append(bar);
    else head.querySelector('time')?.before(bar);
  };
  const showOn = (/** @type {EventTarget | null} */ at) => {
    const row = at instanceof Element ? /** @type {HTMLElement | null} */ (at.closest('.msg')) : null;
    // A button with visible focus stays where it is, so that it can be pressed.
    if (row && !row.contains(bar) && !bar.querySelector(':focus-visible')) show(row);
  };
  list.addEventListener('pointerover', (event) => showOn(event.target));
  list.addEventListener('focusin', (event) => showOn(event.target));
  document.addEventListener('signedin', () => {
    const row = /** @type {HTMLElement | null} */ (bar.closest('.msg'));
    if (row) show(row);
  });
  showOn(document.activeElement);
  showOn([...list.querySelectorAll('.msg:hover')].at(-1) ?? null);
}

/**
 * @param {MessageAction} action
 * @param {Message} message
 * @param {HTMLElement} row
 */
function renderAction(action, message, row) {
  const label = action.label(message);
  const button = el('button', { type: 'button', class: 'plain message-action', 'data-action': action.name, 'aria-label': label, title: label }, icon(action.name));
  button.addEventListener('click', () => action.run(message, row));
  return button;
}

/** @param {Message} message */
function renderReport(message) {
  const button = el('button', { type: 'button', class: 'plain report-button' }, translate('Report'), el('span', { class: 'sr-only' }, translate(' what {name} said', { name: message.agent_name })));
  button.addEventListener('click', () => {
    openReport({ kind: 'message', id: message.id, name: message.agent_name });
  });
  return button;
}
