// The list items of the messages, in the order of their sequence numbers, with the date above the first of each day.

import { MessageStore } from './message-store.js';
import { renderBody, renderMessage, updateMessage, updateReplyLink, updateRowMarks, updateText } from './message.js';
import { formatDay } from '../shared/format.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

export class MessageList {
  store = new MessageStore();
  /** @type {Map<string, HTMLElement>} */ #rows = new Map();
  #namesSize = 0;
  /** The messages that events have changed since they were loaded. @type {Set<string>} */ #changedIds = new Set();

  /**
   * @param {HTMLElement} list
   * @param {import('./message.js').MessageContext} context
   */
  constructor(list, context) {
    this.list = list;
    this.context = context;
  }

  clear() {
    this.store.clear();
    this.#rows.clear();
    this.#changedIds.clear();
    this.list.replaceChildren();
  }

  /** @param {string} id */
  find(id) {
    return this.#rows.get(id);
  }

  /**
   * @param {Message} message
   * @returns {boolean} false if it is in the list already, or has no text
   */
  insert(message) {
    if (!message.content) return false;
    const place = this.store.insert(message);
    if (place < 0) return false;
    if (message.sender_type === 'agent') this.context.names.learn(message.agent_id, message.agent_name);
    const row = renderMessage(message, this.context);
    this.#rows.set(message.id, row);
    this.list.insertBefore(row, this.#rowAt(place + 1) ?? null);
    this.#updateDayMark(place);
    this.#updateDayMark(place + 1);
    return true;
  }

  /** @param {string} id */
  remove(id) {
    const place = this.store.remove(id);
    if (place < 0) return;
    this.#rows.get(id)?.remove();
    this.#rows.delete(id);
    this.#updateDayMark(place);
  }

  /** Marks replies to a message that has been hidden. @param {string} id */
  markMissing(id) {
    for (const words of this.list.querySelectorAll(`[data-reply-to="${CSS.escape(id)}"] .quote`)) words.textContent = translate('a message that was taken down');
  }

  /**
   * Applies what an event changed in a message.
   * @param {string} id
   * @param {Partial<Message>} changes
   */
  update(id, changes) {
    this.#changedIds.add(id);
    this.#applyChanges(id, changes);
  }

  /** Applies changes of intents and texts that were missed before the stream began; an event is newer than a cached page. @param {Message[]} messages */
  mergeChanges(messages) {
    const changed = messages.filter(({ id }) => !this.#changedIds.has(id));
    changed.filter(({ type }) => type === 'intent').forEach(({ id, state, regions, expires_at }) => this.#applyChanges(id, { state, regions, expires_at }));
    changed.filter(({ id, content }) => content && this.store.find(id)?.content !== content).forEach(({ id, content, edited_at }) => this.#applyChanges(id, { content, edited_at }));
  }

  /**
   * Folds or unfolds a message.
   * @param {string} id
   * @param {boolean} folded
   */
  setFolded(id, folded) {
    const message = this.store.find(id);
    const row = this.#rows.get(id);
    if (!message || !row || Boolean(message.folded) === folded) return;
    message.folded = folded;
    const hasFocus = row.contains(document.activeElement);
    const next = renderMessage(message, this.context);
    if (row.dataset.day) next.dataset.day = row.dataset.day;
    row.replaceWith(next);
    this.#rows.set(id, next);
    if (hasFocus) next.focus({ preventScroll: true });
    this.#updateQuotes(message);
  }

  /** Shows the text of a message again where replies quote it. @param {Message} message */
  #updateQuotes(message) {
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll(`[data-reply-to="${CSS.escape(message.id)}"]`))) updateReplyLink(button, message);
  }

  /** Removes the oldest rows. @param {number} kept */
  trimStart(kept) {
    for (const { id } of this.store.all.slice(0, Math.max(0, this.store.all.length - kept))) this.remove(id);
  }

  /** Removes the newest rows. @param {number} kept */
  trimEnd(kept) {
    for (const { id } of this.store.all.slice(kept)) this.remove(id);
  }

  /** Completes reply links and mentions after messages or names were added. */
  updateReferences() {
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll('[data-unresolved]'))) {
      updateReplyLink(button, this.store.find(button.dataset.replyTo ?? ''));
    }
    if (this.context.names.size === this.#namesSize) return;
    this.#namesSize = this.context.names.size;
    this.store.all.filter(({ content }) => content.includes('@')).forEach((message) => this.#renderBody(message));
  }

  /** Renders the marks and reactions again after the visitor's name changed, or somebody signed in. */
  updateMarks() {
    for (const message of this.store.all) {
      this.#renderBody(message);
      const row = this.#rows.get(message.id);
      if (row) updateMessage(row, message, this.context);
    }
  }

  /**
   * @param {string} id
   * @param {Partial<Message>} changes
   */
  #applyChanges(id, changes) {
    const [message, row] = [this.store.find(id), this.#rows.get(id)];
    if (!message || !row) return;
    Object.assign(message, changes);
    updateMessage(row, message, this.context);
    if (changes.content === undefined) return;
    updateText(row, message, this.context);
    this.#updateQuotes(message);
  }

  /** @param {Message} message */
  #renderBody(message) {
    const row = this.#rows.get(message.id);
    const body = row?.querySelector('.msg-body');
    if (!row || !body) return;
    renderBody(body, message, this.context);
    updateRowMarks(row, message, this.context);
  }

  /** @param {number} place */
  #rowAt(place) {
    return this.#rows.get(this.store.all[place]?.id ?? '');
  }

  /** @param {number} place */
  #updateDayMark(place) {
    const message = this.store.all[place];
    const row = this.#rowAt(place);
    if (!message || !row) return;
    const day = formatDay(message.timestamp);
    const before = this.store.all[place - 1];
    if (before && formatDay(before.timestamp) === day) row.removeAttribute('data-day');
    else row.dataset.day = day;
  }
}
