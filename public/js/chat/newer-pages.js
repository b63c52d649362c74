// The next newer page of the chat. The API pages towards older messages only, so the way back goes by stretches of
// time, as long as the chat there is calm.

import { getChat } from '../shared/api.js';

/** @typedef {import('../shared/types.js').Message} Message */

const PAGE = 100;
const TRIES = 24;
const LONGEST_MS = 100 * 365 * 24 * 3600 * 1000;
// A moment so near to now is no bound: clocks differ, and what is said meanwhile is wanted too.
const NEAR_MS = 5000;

export class NewerPages {
  #stretch = 60000;

  /**
   * Learns from a page how long the next stretch may be.
   * @param {Message[]} messages
   */
  learn(messages) {
    if (messages.length < 2) return;
    const first = Date.parse(messages[0].timestamp);
    const last = Date.parse(messages[messages.length - 1].timestamp);
    this.#stretch = Math.max(1000, (last - first) * PAGE * 0.8 / messages.length);
  }

  /**
   * @param {string} since when the last message before this page was said
   * @param {string | null} last the moment after which nothing is wanted; null: up to now
   * @returns {Promise<{messages: Message[], end: boolean} | null>} end: nothing newer is left
   */
  async after(since, last) {
    const start = Date.parse(since);
    let crowded = false;
    for (let tries = 0; tries < TRIES; tries++) {
      const until = start + this.#stretch;
      const open = !crowded && until > (last ? Date.parse(last) : Date.now() - NEAR_MS);
      const bound = open ? last : new Date(until).toISOString();
      const { messages, next_before: more } = await getChat({ since, limit: PAGE, ...(bound ? { at: bound } : {}) });
      if (!more && (messages.length || open)) return { messages, end: open };
      // What came is the newer end of the stretch: what is missing lies before it. Once that is known, steps towards it are
      // short, and never again up to now: from there it would only turn back.
      if (more) this.#stretch = (Date.parse(messages[0].timestamp) - start) / 2;
      else this.#stretch = Math.min(LONGEST_MS, Math.max(1, this.#stretch) * (crowded ? 2 : 4));
      crowded ||= more !== null;
    }
    return null;
  }
}
