// The rows of the chat: each message's list item in the order of the numbers, and the day above the first of a day.

import { markRow, renderMessage, showAnswered, showReactions, writeBody } from './message.js';
import { ChatStore } from './message-store.js';
import { dayOf } from '../shared/format.js';

/** @typedef {import('../shared/types.js').Message} Message */

export class ChatRows {
  store = new ChatStore();
  /** @type {Map<string, HTMLElement>} */ #rows = new Map();
  #namesKnown = 0;

  /**
   * @param {HTMLElement} list
   * @param {import('./message.js').Around} around
   */
  constructor(list, around) {
    this.list = list;
    this.around = around;
  }

  clear() {
    this.store.clear();
    this.#rows.clear();
    this.list.replaceChildren();
  }

  /** @param {string} id */
  find(id) {
    return this.#rows.get(id);
  }

  /**
   * @param {Message} message
   * @returns {boolean} false when it was here already, or has no text to show
   */
  insert(message) {
    if (!message.content) return false;
    const place = this.store.insert(message);
    if (place < 0) return false;
    if (message.sender_type === 'agent') this.around.names.learn(message.agent_id, message.agent_name);
    const row = renderMessage(message, this.around);
    this.#rows.set(message.id, row);
    this.list.insertBefore(row, this.#rowAt(place + 1) ?? null);
    this.#markDay(place);
    this.#markDay(place + 1);
    return true;
  }

  /** @param {string} id */
  remove(id) {
    const place = this.store.remove(id);
    if (place < 0) return;
    this.#rows.get(id)?.remove();
    this.#rows.delete(id);
    this.#markDay(place);
  }

  /** What is answered cannot be read any more. @param {string} id */
  gone(id) {
    for (const words of this.list.querySelectorAll(`[data-answers="${CSS.escape(id)}"] .said`)) words.textContent = 'a message that is gone';
  }

  /**
   * @param {string} id
   * @param {import('../shared/types.js').Reaction[]} reactions
   */
  react(id, reactions) {
    const message = this.store.find(id);
    if (message) message.reactions = reactions;
    const list = this.#rows.get(id)?.querySelector('.reactions');
    if (list) showReactions(list, reactions);
  }

  /** Lets the oldest rows go. @param {number} kept */
  trimStart(kept) {
    for (const { id } of this.store.all.slice(0, Math.max(0, this.store.all.length - kept))) this.remove(id);
  }

  /** Lets the newest rows go. @param {number} kept */
  trimEnd(kept) {
    for (const { id } of this.store.all.slice(kept)) this.remove(id);
  }

  /** After rows have come: replies can say now what they answer, and names be known that were called before. */
  relink() {
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll('[data-unknown]'))) {
      showAnswered(button, this.store.find(button.dataset.answers ?? ''));
    }
    if (this.around.names.size === this.#namesKnown) return;
    this.#namesKnown = this.around.names.size;
    this.store.all.filter(({ content }) => content.includes('@')).forEach((message) => this.#rewrite(message));
  }

  /** The visitor has another name now. */
  remark() {
    this.store.all.forEach((message) => this.#rewrite(message));
  }

  /** @param {Message} message */
  #rewrite(message) {
    const row = this.#rows.get(message.id);
    const body = row?.querySelector('.msg-body');
    if (!row || !body) return;
    writeBody(body, message, this.around);
    markRow(row, message, this.around);
  }

  /** @param {number} place */
  #rowAt(place) {
    return this.#rows.get(this.store.all[place]?.id ?? '');
  }

  /** @param {number} place */
  #markDay(place) {
    const message = this.store.all[place];
    const row = this.#rowAt(place);
    if (!message || !row) return;
    const day = dayOf(message.timestamp);
    const before = this.store.all[place - 1];
    if (before && dayOf(before.timestamp) === day) row.removeAttribute('data-day');
    else row.dataset.day = day;
  }
}
