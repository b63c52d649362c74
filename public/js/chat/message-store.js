// The messages that the page holds, ordered by sequence number.

/** @typedef {import('../shared/types.js').Message} Message */

/**
 * Returns the values of a message that an event changes; `null` if it changes none.
 * @param {string} kind
 * @param {any} data
 * @returns {Partial<Message> | null}
 */
export function findChanges(kind, data) {
  if (kind === 'edited') return data.content ? { content: data.content, edited_at: data.edited_at ?? new Date().toISOString() } : null;
  if (kind === 'reaction') return { reactions: data.reactions };
  if (kind === 'intent') return { state: data.state, regions: data.regions, expires_at: data.expires_at };
  return null;
}

export class MessageStore {
  /** @type {Message[]} */ all = [];
  /** @type {Map<string, Message>} */ #byId = new Map();

  clear() {
    this.all = [];
    this.#byId.clear();
  }

  /** @param {string} id */
  find(id) {
    return this.#byId.get(id);
  }

  get oldest() {
    return this.all[0];
  }

  get newest() {
    return this.all[this.all.length - 1];
  }

  /**
   * @param {Message} message
   * @returns {number} its index, or -1 if it was there already
   */
  insert(message) {
    if (this.#byId.has(message.id)) return -1;
    this.#byId.set(message.id, message);
    let place = this.all.length;
    while (place > 0 && this.all[place - 1].seq > message.seq) place--;
    this.all.splice(place, 0, message);
    return place;
  }

  /**
   * @param {string} id
   * @returns {number} the index that it had, or -1 if it was not there
   */
  remove(id) {
    const message = this.#byId.get(id);
    if (!message) return -1;
    this.#byId.delete(id);
    const place = this.all.indexOf(message);
    this.all.splice(place, 1);
    return place;
  }
}
