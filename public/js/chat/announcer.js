// Announces new messages to screen readers: each one while they are few, one summary when there are many.

import { summarize } from './chat-texts.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

const DELAY_MS = 3000;
const MAX_INDIVIDUAL = 2;

export class Announcer {
  /** @type {Message[]} */ #queue = [];
  #count = 0;
  #timer = 0;

  /** @param {HTMLElement} region a visually hidden polite live region */
  constructor(region) {
    this.region = region;
  }

  /** @param {Message[]} messages */
  announce(messages) {
    this.#count += messages.length;
    this.#queue = [...this.#queue, ...messages].slice(-MAX_INDIVIDUAL);
    if (!this.#timer && this.#count) this.#timer = setTimeout(() => this.#flush(), DELAY_MS);
  }

  #flush() {
    const newest = this.#queue.map(summarize);
    this.region.textContent = this.#count <= MAX_INDIVIDUAL ? newest.join(' ') : translate('{count} new messages. The newest, {message}', { count: this.#count, message: newest[newest.length - 1] });
    this.#timer = 0;
    this.#count = 0;
    this.#queue = [];
  }
}
