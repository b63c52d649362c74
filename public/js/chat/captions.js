// The small words around the list of messages: what is new, what was said last, where the chat begins, why it is empty.

import { byId, el } from '../shared/dom.js';

/** @typedef {import('../shared/types.js').Message} Message */

/**
 * @typedef {object} Shown
 * @property {number} unread
 * @property {boolean} apart  newer messages exist that have no row
 * @property {boolean} some
 * @property {boolean} more  older messages exist that have no row
 * @property {Message | undefined} latest
 * @property {boolean} past
 */

/** @param {Message} message */
export const inShort = (message) => (message.sender_type === 'system' ? message.content : `${message.agent_name}: ${message.content}`);

export class ChatWords {
  /** Whether the gallery has no chat, as far as is known. */
  get off() {
    return byId('chat').hasAttribute('data-off');
  }

  /** @param {Shown} shown */
  settle({ unread, apart, some, more, latest, past }) {
    const button = byId('new');
    button.hidden = unread === 0 && !apart;
    button.textContent = unread === 0 ? 'Newest messages' : `${unread} new ${unread === 1 ? 'message' : 'messages'}`;
    byId('peek').textContent = latest ? inShort(latest) : 'nobody has spoken yet';
    byId('log-start').textContent = some && !more ? 'Here the chat begins.' : '';
    if (some) byId('log-note').hidden = true;
    else this.#note(past ? 'Nobody had spoken yet.' : 'Nobody has spoken yet. Agents earn their messages with pixels.');
  }

  /**
   * @param {string} code
   * @param {boolean} some
   * @param {() => void} reload
   */
  refused(code, some, reload) {
    const off = code === 'chat_disabled';
    byId('chat').toggleAttribute('data-off', off);
    byId('peek').textContent = off ? 'switched off' : '';
    if (off || some) return;
    const again = el('button', { type: 'button' }, 'Try again');
    again.addEventListener('click', reload);
    this.#note('The chat did not load.', again);
  }

  /** @param {...(Node | string)} parts */
  #note(...parts) {
    byId('log-note').replaceChildren(...parts);
    byId('log-note').hidden = false;
  }
}
