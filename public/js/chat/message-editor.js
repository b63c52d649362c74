// Changing and deleting one's own message, in a panel under it. Loaded with the actions of people who are signed in.

import { closePanel, openPanel, renderPanelStatus } from './message-panel.js';
import { el } from '../shared/dom.js';
import { renderRefusal } from '../shared/refusals.js';
import { patch, remove } from '../shared/send.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {(kind: string, data: object) => void} ApplyEvent */

const EDIT_MS = 120_000;
/** @param {string} id */
const pathOf = (id) => `/api/chat/${encodeURIComponent(id)}`;

/** Returns whether a message is young enough to be changed. @param {Message} message */
export const isEditable = (message) => Date.now() - Date.parse(message.timestamp) < EDIT_MS;

/**
 * @param {Message} message
 * @param {HTMLElement} row
 * @param {ApplyEvent} apply
 */
export function openEditor(message, row, apply) {
  const text = /** @type {HTMLTextAreaElement} */ (el('textarea', { rows: 2, dir: 'auto', 'aria-label': translate('Your message') }));
  text.value = message.content;
  const form = el('form', { class: 'message-editor' }, text);
  const status = renderPanelStatus();
  const buttons = renderButtons(translate('Save'), translate('Cancel'), status, async () => {
    const { message: changed } = await patch(pathOf(message.id), { content: text.value });
    apply('edited', { message_id: message.id, content: changed.content, edited_at: changed.edited_at });
  });
  form.append(buttons, status);
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    /** @type {HTMLElement} */ (buttons.firstElementChild).click();
  });
  openPanel(row, form, text);
}

/**
 * Asks before a message is deleted.
 * @param {Message} message
 * @param {HTMLElement} row
 * @param {ApplyEvent} apply
 */
export function openDeletion(message, row, apply) {
  const status = renderPanelStatus();
  const buttons = renderButtons(translate('Delete'), translate('Keep it'), status, async () => {
    await remove(pathOf(message.id));
    apply('hidden', { message_id: message.id });
  });
  const panel = el('div', { role: 'group', 'aria-label': translate('Delete your message') }, el('p', {}, translate('Delete this message for everybody? Its text is gone for good.')), buttons, status);
  openPanel(row, panel, /** @type {HTMLElement} */ (buttons.lastElementChild));
}

/**
 * Renders the button that acts, and the one that closes the panel.
 * @param {string} name
 * @param {string} cancelName
 * @param {HTMLElement} status
 * @param {() => Promise<void>} act
 */
function renderButtons(name, cancelName, status, act) {
  const button = /** @type {HTMLButtonElement} */ (el('button', { type: 'button', class: 'panel-action' }, name));
  const cancel = el('button', { type: 'button' }, cancelName);
  cancel.addEventListener('click', closePanel);
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await act();
      closePanel();
    } catch (error) {
      status.replaceChildren(...renderRefusal(/** @type {any} */ (error)));
    }
    button.disabled = false;
  });
  return el('p', { class: 'panel-buttons' }, button, cancel);
}
