// Reads new messages to a screen reader: one by one while there are few, in a sentence when there are many.

import { inShort } from './captions.js';

/** @typedef {import('../shared/types.js').Message} Message */

const PAUSE_MS = 3000;
const EACH = 2;

export class Voice {
  /** @type {Message[]} */ #heard = [];
  #count = 0;
  #timer = 0;

  /** @param {HTMLElement} region a polite live region that nobody sees */
  constructor(region) {
    this.region = region;
  }

  /** @param {Message[]} messages */
  say(messages) {
    this.#count += messages.length;
    this.#heard = [...this.#heard, ...messages].slice(-EACH);
    if (!this.#timer && this.#count) this.#timer = setTimeout(() => this.#speak(), PAUSE_MS);
  }

  #speak() {
    const newest = this.#heard.map(inShort);
    this.region.textContent = this.#count <= EACH ? newest.join(' ') : `${this.#count} new messages. The newest, ${newest[newest.length - 1]}`;
    this.#timer = 0;
    this.#count = 0;
    this.#heard = [];
  }
}
