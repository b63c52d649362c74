// The newest messages, kept up to date out of sight while the chat of another moment is shown.

/** @typedef {import('../shared/types.js').Message} Message */

const MOST = 100;

export class ChatAside {
  /** False once something happened that only the server can tell. */ complete = true;

  /**
   * @param {Message[]} messages the newest ones
   * @param {boolean} more whether there are older ones
   */
  constructor(messages, more) {
    this.messages = messages.slice(-MOST);
    this.more = more || messages.length > MOST;
  }

  /**
   * What is shown now, put aside.
   * @param {Message[]} shown
   * @param {boolean} more whether there are older ones
   * @param {Message[] | null} meanwhile those that came since, where what is shown does not reach the end
   */
  static of(shown, more, meanwhile) {
    const aside = new ChatAside(meanwhile ?? shown, more || meanwhile !== null);
    aside.complete = meanwhile === null;
    return aside;
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  event(kind, data) {
    if (kind === 'chat') this.#add(data);
    if (kind === 'reaction') this.messages.filter(({ id }) => id === data.message_id).forEach((message) => { message.reactions = data.reactions; });
    if (kind === 'hidden') this.messages = this.messages.filter(({ id }) => id !== data.message_id);
    if (kind === 'restored') this.complete = false;
  }

  /** A second look at the newest page. @param {import('../shared/types.js').ChatPage} page */
  merge(page) {
    const last = page.messages.at(-1)?.seq ?? 0;
    this.messages = [...page.messages, ...this.messages.filter(({ seq }) => seq > last)];
    this.more = page.next_before !== null;
  }

  /** @param {Message} message */
  #add(message) {
    this.messages.push(message);
    if (this.messages.length <= 2 * MOST) return;
    this.messages = this.messages.slice(-MOST);
    this.more = true;
  }

  /** @returns {import('../shared/types.js').ChatPage} */
  get page() {
    return { messages: this.messages, next_before: this.more ? this.messages[0]?.id ?? null : null };
  }
}
