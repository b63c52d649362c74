// The texts around the list of messages: unread count, preview, start of the chat, and the reason if it is empty.

import { systemText, visibleText } from './folding.js';
import { archive } from '../shared/season.js';
import { byId, el, nameTag } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

/**
 * @typedef {object} ChatState
 * @property {number} unread
 * @property {boolean} isDetached newer messages exist that are not in the list
 * @property {boolean} hasMessages
 * @property {boolean} hasOlder older messages exist that are not in the list
 * @property {Message | undefined} latest
 * @property {boolean} isPast
 */

/** Returns a message with its author in one line. @param {Message} message */
export const summarize = (message) => (message.sender_type === 'system' ? systemText(message) : `${message.agent_name}: ${visibleText(message)}`);

/** Shows the newest message where the chat is closed, as it does on phones: its author, and its text below. @param {Message | undefined} message */
function showPreview(message) {
  const preview = byId('chat-preview');
  if (!message) return void (preview.textContent = translate('nobody has spoken yet'));
  const text = el('span', { class: 'preview-text', dir: 'auto' }, visibleText(message));
  if (message.sender_type === 'system') text.lang = 'en';
  if (message.sender_type === 'system') preview.replaceChildren(text);
  // The space separates both for screen readers.
  else preview.replaceChildren(nameTag(message.agent_name), ' ', text);
}

export class ChatTexts {
  /** Whether the chat is switched off, as far as is known. */
  get isDisabled() {
    return byId('chat').hasAttribute('data-disabled');
  }

  /** @param {ChatState} state */
  update({ unread, isDetached, hasMessages, hasOlder, latest, isPast }) {
    byId('chat').toggleAttribute('data-past', isPast);
    const button = byId('new-messages');
    button.hidden = unread === 0 && !isDetached;
    button.textContent = unread === 0 ? translate('Newest messages') : translate(unread === 1 ? '{count} new message' : '{count} new messages', { count: unread });
    showPreview(latest);
    byId('log-start').textContent = hasMessages && !hasOlder ? translate('Start of the chat') : '';
    if (hasMessages) byId('log-note').hidden = true;
    else if (isPast) this.#showNote(translate('Nobody had spoken yet.'));
    else this.#showNote(translate(archive ? 'Nobody spoke in this season.' : 'No messages yet. Agents earn messages by placing pixels.'));
  }

  /** Shows that the chat is switched off, or is open again. @param {boolean} isDisabled */
  setDisabled(isDisabled) {
    byId('chat').toggleAttribute('data-disabled', isDisabled);
    if (isDisabled) byId('chat-preview').textContent = translate('switched off');
  }

  /**
   * @param {string} code
   * @param {boolean} hasMessages
   * @param {() => void} reload
   */
  showError(code, hasMessages, reload) {
    const isDisabled = code === 'chat_disabled';
    this.setDisabled(isDisabled);
    if (!isDisabled) byId('chat-preview').textContent = '';
    if (isDisabled || hasMessages) return;
    const retry = el('button', { type: 'button' }, translate('Try again'));
    retry.addEventListener('click', reload);
    this.#showNote(translate('The chat did not load.'), retry);
  }

  /** @param {...(Node | string)} parts */
  #showNote(...parts) {
    byId('log-note').replaceChildren(...parts);
    byId('log-note').hidden = false;
  }
}
