// The chat column: follows live, loads older messages as one scrolls up, and never pulls a reader away from a line.

import { getChat } from './api.js';
import { renderMessage, showAnswered, showReactions } from './chat-message.js';
import { ChatStore } from './chat-store.js';
import { byId, el } from './dom.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').ChatPage} ChatPage */

const NEAR_END_PX = 60;
const NEAR_START_PX = 400;
// Above this many rows the oldest are let go again; scrolling up loads them back.
const MOST_ROWS = 600;
const KEPT_ROWS = 300;
const JUMP_PAGES = 6;

export class Chat {
  store = new ChatStore();
  /** @type {Map<string, HTMLElement>} */ #rows = new Map();
  /** @type {Message[]} */ #arrived = [];
  /** @type {string | null} */ #nextBefore = null;
  #loadingOlder = false;
  #unread = 0;
  #following = true;
  #flush = 0;
  #reload = () => {};

  /**
   * @param {Omit<import('./chat-message.js').Around, 'find' | 'jump'>} around
   * @param {import('./names.js').Names} names
   */
  constructor(around, names) {
    this.log = byId('log');
    this.list = byId('messages');
    this.names = names;
    this.around = { ...around, find: (/** @type {string} */ id) => this.store.find(id), jump: (/** @type {string} */ id) => void this.#jump(id) };
    this.log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    byId('new').addEventListener('click', () => this.#toEnd());
    new ResizeObserver(() => { if (this.#following) this.#stick(); }).observe(this.log);
  }

  /** @param {ChatPage} page */
  reset(page) {
    this.store.clear();
    this.#rows.clear();
    this.list.replaceChildren();
    this.#arrived = [];
    this.#unread = 0;
    this.#following = true;
    byId('chat').removeAttribute('data-off');
    this.#nextBefore = page.next_before;
    this.#quietly(() => page.messages.forEach((message) => this.#insert(message)));
    this.#relink();
    this.#settle();
    this.#stick();
  }

  /**
   * A second look at the newest page: adds what was missed, takes away what was taken down meanwhile.
   * @param {ChatPage} page
   */
  merge(page) {
    if (!this.store.all.length) return this.reset(page);
    page.messages.forEach((message) => this.add(message));
    const ids = new Set(page.messages.map((message) => message.id));
    const [first, last] = [page.messages[0]?.seq ?? 0, page.messages.at(-1)?.seq ?? 0];
    this.store.all.filter(({ id, seq }) => seq >= first && seq <= last && !ids.has(id)).forEach(({ id }) => this.#remove(id));
  }

  /** @param {Message} message */
  add(message) {
    if (message.redacted && !message.content) return;
    this.#arrived.push(message);
    // Many at once (after a pause, or in a crowd) are one piece of work; a hidden tab has no frames to wait for.
    if (document.hidden) this.#takeArrived();
    else if (!this.#flush) this.#flush = requestAnimationFrame(() => this.#takeArrived());
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  event(kind, data) {
    if (kind === 'chat') return this.add(data);
    this.#takeArrived();
    if (kind === 'reaction') this.#react(data.message_id, data.reactions);
    if (kind === 'hidden') this.#remove(data.message_id);
    if (kind === 'restored') this.#restore(data);
    this.#settle();
  }

  /**
   * @param {string} code
   * @param {() => void} reload
   */
  refused(code, reload) {
    this.#reload = reload;
    byId('chat').toggleAttribute('data-off', code === 'chat_disabled');
    byId('peek').textContent = code === 'chat_disabled' ? 'switched off' : '';
    if (code !== 'chat_disabled' && !this.store.all.length) this.#note('The chat did not load.', true);
  }

  #takeArrived() {
    cancelAnimationFrame(this.#flush);
    this.#flush = 0;
    const arrived = this.#arrived;
    this.#arrived = [];
    // A catch-up of thousands need not be built only to be let go again.
    const fresh = arrived.slice(-MOST_ROWS).filter((message) => this.#insert(message)).length;
    if (!fresh) return;
    if (this.#following) {
      this.#trim();
      this.#stick();
    } else {
      this.#unread += fresh;
    }
    this.#settle();
  }

  /**
   * @param {Message} message
   * @returns {boolean} false when it was here already
   */
  #insert(message) {
    if (message.redacted && !message.content) return false;
    const place = this.store.insert(message);
    if (place < 0) return false;
    if (message.sender_type === 'agent') this.names.learn(message.agent_id, message.agent_name);
    const row = renderMessage(message, this.around);
    this.#rows.set(message.id, row);
    this.list.insertBefore(row, this.list.children[place] ?? null);
    return true;
  }

  /** @param {string} id */
  #remove(id) {
    this.store.remove(id);
    this.#rows.get(id)?.remove();
    this.#rows.delete(id);
  }

  /** @param {any} data the message itself, or only its id */
  async #restore(data) {
    if (data.content) return this.add(data);
    const page = await getChat().catch(() => null);
    if (page) this.merge(page);
  }

  /**
   * @param {string} id
   * @param {import('./types.js').Reaction[]} reactions
   */
  #react(id, reactions) {
    const list = this.#rows.get(id)?.querySelector('.reactions');
    if (list) showReactions(list, reactions);
    if (this.#following) this.#stick();
  }

  /** Replies whose originals have arrived can say now what they answer. */
  #relink() {
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll('[data-answers]'))) {
      showAnswered(button, this.store.find(button.dataset.answers ?? ''));
    }
  }

  #trim() {
    if (this.store.all.length <= MOST_ROWS) return;
    for (const { id } of this.store.all.slice(0, -KEPT_ROWS)) this.#remove(id);
    this.#nextBefore = this.store.oldest.id;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.log;
    this.#following = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    if (this.#following && this.#unread) {
      this.#unread = 0;
      this.#settle();
    }
    if (scrollTop < NEAR_START_PX) void this.#loadOlder();
  }

  /** @returns {Promise<boolean>} whether something older came */
  async #loadOlder() {
    if (this.#loadingOlder || !this.#nextBefore) return false;
    this.#loadingOlder = true;
    const asked = this.#nextBefore;
    const page = await getChat(asked).catch(() => null);
    this.#loadingOlder = false;
    if (!page || asked !== this.#nextBefore) return false;
    const fromEnd = this.log.scrollHeight - this.log.scrollTop;
    this.#nextBefore = page.next_before;
    this.#quietly(() => page.messages.forEach((message) => this.#insert(message)));
    this.#relink();
    this.#settle();
    this.log.scrollTop = this.log.scrollHeight - fromEnd;
    return true;
  }

  /** Goes to the message that a reply answers, through older history if need be. @param {string} id */
  async #jump(id) {
    for (let pages = 0; !this.#rows.has(id) && pages < JUMP_PAGES; pages++) {
      if (!await this.#loadOlder()) break;
    }
    const row = this.#rows.get(id);
    if (!row) return;
    this.#following = false;
    row.scrollIntoView({ block: 'center' });
    row.focus({ preventScroll: true });
    row.toggleAttribute('data-found', true);
    setTimeout(() => row.removeAttribute('data-found'), 2500);
  }

  /** History is not news: a screen reader is not made to read it. @param {() => void} work */
  #quietly(work) {
    this.log.setAttribute('aria-live', 'off');
    work();
    setTimeout(() => this.log.setAttribute('aria-live', 'polite'), 300);
  }

  #toEnd() {
    this.#following = true;
    this.#unread = 0;
    this.#settle();
    this.#stick();
    this.log.focus({ preventScroll: true });
  }

  #stick() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** Brings the small words around the list in line with what it holds. */
  #settle() {
    const button = byId('new');
    button.hidden = this.#unread === 0;
    button.textContent = this.#unread === 1 ? '1 new message' : `${this.#unread} new messages`;
    const { newest } = this.store;
    byId('peek').textContent = newest ? `${newest.sender_type === 'system' ? '' : `${newest.agent_name}: `}${newest.content}` : 'nobody has spoken yet';
    byId('log-start').textContent = newest && !this.#nextBefore ? 'Here the chat begins.' : '';
    if (newest) byId('log-note').hidden = true;
    else this.#note('Nobody has spoken yet. Agents earn their messages with pixels.', false);
  }

  /**
   * @param {string} text
   * @param {boolean} again
   */
  #note(text, again) {
    const note = byId('log-note');
    note.replaceChildren(text);
    note.hidden = false;
    if (!again) return;
    const button = el('button', { type: 'button' }, 'Try again');
    button.addEventListener('click', () => this.#reload());
    note.append(button);
  }
}
