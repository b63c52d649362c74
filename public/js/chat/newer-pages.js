// Loads the next newer page of the chat. The API pages towards older messages only, so newer ones are asked for by
// spans of time, whose length is adapted until one answer holds all messages of a span.

import { getChat } from '../shared/api.js';

/** @typedef {import('../shared/types.js').Message} Message */

const PAGE_SIZE = 100;
const MAX_TRIES = 24;
const MAX_SPAN_MS = 100 * 365 * 24 * 3600 * 1000;
// A bound so near to now is left open: clocks differ, and messages may arrive meanwhile.
const NEAR_MS = 5000;

export class NewerPages {
  #span = 60000;

  /**
   * Estimates the length of the next span from the density of a page.
   * @param {Message[]} messages
   */
  estimateSpan(messages) {
    if (messages.length < 2) return;
    const first = Date.parse(messages[0].timestamp);
    const last = Date.parse(messages[messages.length - 1].timestamp);
    this.#span = Math.max(1000, (last - first) * PAGE_SIZE * 0.8 / messages.length);
  }

  /**
   * @param {string} since the time of the last message before the page
   * @param {string | null} last the end of the wanted range; `null` for no end
   * @returns {Promise<{messages: Message[], end: boolean} | null>} `end`: no newer message exists
   */
  async fetchAfter(since, last) {
    const start = Date.parse(since);
    let crowded = false;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const until = start + this.#span;
      const open = !crowded && until > (last ? Date.parse(last) : Date.now() - NEAR_MS);
      const bound = open ? last : new Date(until).toISOString();
      const { messages, next_before: more } = await getChat({ since, limit: PAGE_SIZE, ...(bound ? { at: bound } : {}) });
      if (!more && (messages.length || open)) return { messages, end: open };
      // The answer holds the newest messages of the span, so earlier ones are missing. From then on spans only grow
      // slowly and are never open-ended, which would return the same newest messages again.
      if (more) this.#span = (Date.parse(messages[0].timestamp) - start) / 2;
      else this.#span = Math.min(MAX_SPAN_MS, Math.max(1, this.#span) * (crowded ? 2 : 4));
      crowded ||= more !== null;
    }
    return null;
  }
}
