// The newest messages, kept up to date in the background while the chat of a past moment is shown.

import { findChanges } from './message-store.js';

/** @typedef {import('../shared/types.js').Message} Message */

const MAX_MESSAGES = 100;

export class BackgroundChat {
  /** False after an event whose result only the server knows. */ isComplete = true;

  /**
   * @param {Message[]} messages the newest ones
   * @param {boolean} hasOlder whether there are older ones
   */
  constructor(messages, hasOlder) {
    this.messages = messages.slice(-MAX_MESSAGES);
    this.hasOlder = hasOlder || messages.length > MAX_MESSAGES;
  }

  /**
   * Creates the background chat from what is shown now.
   * @param {Message[]} shown
   * @param {boolean} hasOlder whether there are older ones
   * @param {Message[] | null} newer the messages after the shown ones, if these do not reach the end
   */
  static fromShown(shown, hasOlder, newer) {
    const background = new BackgroundChat(newer ?? shown, hasOlder || newer !== null);
    background.isComplete = newer === null;
    return background;
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  handleEvent(kind, data) {
    if (kind === 'chat') this.#add(data);
    const changes = findChanges(kind, data);
    if (changes) this.messages.filter(({ id }) => id === data.message_id).forEach((message) => Object.assign(message, changes));
    if (kind === 'hidden') this.messages = this.messages.filter(({ id }) => id !== data.message_id);
    if (kind === 'folded') this.messages.filter(({ id }) => id === data.message_id).forEach((message) => { message.folded = data.folded; });
    if (kind === 'restored') this.isComplete = false;
  }

  /** Merges a newer version of the latest page. @param {import('../shared/types.js').ChatPage} page */
  merge(page) {
    const last = page.messages.at(-1)?.seq ?? 0;
    this.messages = [...page.messages, ...this.messages.filter(({ seq }) => seq > last)];
    this.hasOlder = page.next_before !== null;
  }

  /** @param {Message} message */
  #add(message) {
    this.messages.push(message);
    if (this.messages.length <= 2 * MAX_MESSAGES) return;
    this.messages = this.messages.slice(-MAX_MESSAGES);
    this.hasOlder = true;
  }

  /** @returns {import('../shared/types.js').ChatPage} */
  get page() {
    return { messages: this.messages, next_before: this.hasOlder ? this.messages[0]?.id ?? null : null };
  }
}
