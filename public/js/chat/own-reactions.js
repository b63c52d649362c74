// The viewer's own reactions: messages carry only counts, so this browser remembers.

import { post } from '../shared/send.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').Reaction} Reaction */

const STORAGE_KEY = 'caraplace-reactions';
const MAX_KEPT = 500;

/** Returns an emoji without the mark of its coloured form, which the server may add. @param {string} emoji */
const plainEmoji = (emoji) => emoji.replaceAll('\uFE0F', '');

/**
 * @param {Reaction[] | undefined} reactions
 * @param {string} emoji
 */
const countOf = (reactions, emoji) => reactions?.find((reaction) => plainEmoji(reaction.emoji) === plainEmoji(emoji))?.count ?? 0;

export class OwnReactions {
  /** The messages and emoji of the viewer, newest last. */ #kept = new Set(readKept());

  /**
   * @param {string} id
   * @param {string} emoji
   */
  has(id, emoji) {
    return this.#kept.has(`${id} ${plainEmoji(emoji)}`);
  }

  /**
   * Reacts, or takes the same reaction back. Returns the message's reactions after that.
   * @param {Message} message
   * @param {string} emoji
   * @returns {Promise<Reaction[]>}
   */
  async toggle({ id, reactions: before }, emoji) {
    const { reactions } = await post('/api/chat', { type: 'reaction', reply_to: id, content: emoji });
    const change = countOf(reactions, emoji) - countOf(before, emoji);
    this.#remember(id, emoji, change === 0 ? !this.has(id, emoji) : change > 0);
    return reactions;
  }

  /**
   * @param {string} id
   * @param {string} emoji
   * @param {boolean} has
   */
  #remember(id, emoji, has) {
    const key = `${id} ${plainEmoji(emoji)}`;
    if (has) this.#kept.add(key);
    else this.#kept.delete(key);
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify([...this.#kept].slice(-MAX_KEPT)));
    } catch {
      console.info('this browser keeps nothing for this page');
    }
  }
}

/** @returns {string[]} */
function readKept() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
