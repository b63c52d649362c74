// The scrolling list of messages: follows the newest ones, loads older and newer pages while scrolling, and keeps the
// reader's place.

import { MessageList } from './message-list.js';
import { byId } from '../shared/dom.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').ChatPage} ChatPage */

/**
 * @typedef {object} MessageSource  loads messages; `null` if the server does not answer
 * @property {(before: string) => Promise<ChatPage | null>} fetchOlder the page before the message with this id
 * @property {(known: Message[], since: string) => Promise<{messages: Message[], end: boolean} | null>} fetchNewer
 * @property {() => Promise<ChatPage | null>} fetchEnd the newest page
 */

const END_TOLERANCE_PX = 60;
const LOAD_DISTANCE_PX = 400;
// With more rows than this, the farthest ones are removed; scrolling there loads them again.
const MAX_ROWS = 600;
const KEPT_ROWS = 300;

export class MessageLog {
  /** Messages that wait for the next frame. @type {Message[]} */ #arrived = [];
  /** @type {string | null} */ #nextBefore = null;
  /** Messages that arrived while the list is detached. @type {Message[]} */ #newer = [];
  /** Numbers what is shown: the answer to a request from before is dropped. */ #viewId = 0;
  #isLoading = false;
  #isFollowing = true;
  #frameRequest = 0;
  /** Newer messages exist that are not in the list. */ isDetached = false;
  unread = 0;

  /**
   * @param {import('./message.js').MessageContext} context
   * @param {MessageSource} source
   * @param {() => void} onChange
   */
  constructor(context, source, onChange) {
    this.element = byId('log');
    this.list = new MessageList(byId('messages'), context);
    this.source = source;
    this.onChange = onChange;
    this.element.addEventListener('scroll', () => this.#handleScroll(), { passive: true });
    new ResizeObserver(() => { if (this.#isFollowing) this.#scrollToEnd(); }).observe(this.element);
  }

  get store() {
    return this.list.store;
  }

  get hasOlder() {
    return this.#nextBefore !== null;
  }

  /** Messages that arrived since the list was detached; `null` if it reaches the end. */
  get newer() {
    return this.isDetached ? this.#newer : null;
  }

  /**
   * Shows the newest page and follows new messages.
   * @param {ChatPage} page
   */
  showEnd(page) {
    this.#arrived = [];
    this.#newer = [];
    this.isDetached = false;
    this.unread = 0;
    this.#isFollowing = true;
    this.#replace(page.messages, page.next_before);
    this.#scrollToEnd();
  }

  /**
   * Shows older messages, detached from the end.
   * @param {Message[]} messages
   * @param {string | null} nextBefore
   */
  showRange(messages, nextBefore) {
    this.insertArrived();
    if (!this.isDetached) this.#newer = [];
    this.isDetached = true;
    this.#replace(messages, nextBefore);
  }

  /** Scrolls to a row and focuses it. @param {HTMLElement} row */
  showRow(row) {
    this.#isFollowing = false;
    row.scrollIntoView({ block: 'center' });
    row.focus({ preventScroll: true });
  }

  /** Returns to the newest messages. */
  async returnToEnd() {
    if (this.isDetached) {
      const page = await this.source.fetchEnd();
      if (!page) return;
      this.showEnd(page);
    }
    this.#isFollowing = true;
    this.unread = 0;
    this.onChange();
    this.#scrollToEnd();
    this.element.focus({ preventScroll: true });
  }

  /** Adds a new message with the next frame. One's own may come twice. @param {Message} message */
  add(message) {
    if (this.isDetached && (this.store.find(message.id) ?? [...this.#newer, ...this.#arrived].find(({ id }) => id === message.id))) return;
    this.#arrived.push(message);
    // Many messages at once are inserted together; a hidden tab has no frames to wait for.
    if (document.hidden) this.insertArrived();
    else if (!this.#frameRequest) this.#frameRequest = requestAnimationFrame(() => this.insertArrived());
  }

  insertArrived() {
    cancelAnimationFrame(this.#frameRequest);
    this.#frameRequest = 0;
    const arrived = this.#arrived;
    this.#arrived = [];
    if (arrived.length) this.insert(arrived);
  }

  /** Adds new messages. @param {Message[]} messages */
  insert(messages) {
    // Of thousands of messages, those that would be removed again are not rendered.
    if (this.isDetached) this.#newer = [...this.#newer, ...messages].slice(-MAX_ROWS);
    const added = this.isDetached ? messages.length : messages.slice(-MAX_ROWS).filter((message) => this.list.insert(message)).length;
    if (!added) return;
    this.list.updateReferences();
    if (this.#isFollowing && !this.isDetached) {
      if (this.store.all.length > MAX_ROWS) this.#trimStart();
      this.#scrollToEnd();
    } else {
      this.unread += added;
    }
    this.onChange();
  }

  /**
   * @param {string} id
   * @param {Partial<Message>} changes
   */
  update(id, changes) {
    this.#newer.filter((message) => message.id === id).forEach((message) => Object.assign(message, changes));
    this.list.update(id, changes);
    if (this.#isFollowing) this.#scrollToEnd();
  }

  /** Removes a message and returns the newest one that remains. @param {string} id */
  remove(id) {
    this.list.remove(id);
    this.list.markMissing(id);
    this.#newer = this.#newer.filter((message) => message.id !== id);
    return this.#newer.at(-1) ?? this.store.newest;
  }

  async loadOlder() {
    const before = this.#nextBefore;
    if (!before) return;
    const page = await this.#load(() => this.source.fetchOlder(before));
    if (!page) return;
    this.#keepPlace(() => {
      this.#nextBefore = page.next_before;
      page.messages.forEach((message) => this.list.insert(message));
    });
    if (this.store.all.length > MAX_ROWS) {
      this.list.trimEnd(KEPT_ROWS);
      this.isDetached = true;
    }
    this.list.updateReferences();
    this.onChange();
  }

  async #loadNewer() {
    const { newest } = this.store;
    if (!newest) return;
    const page = await this.#load(() => this.source.fetchNewer(this.store.all.slice(-50), newest.timestamp));
    if (!page) return;
    page.messages.forEach((message) => this.list.insert(message));
    if (page.end) {
      this.isDetached = false;
      this.#newer.splice(0).forEach((message) => this.list.insert(message));
    }
    if (this.store.all.length > MAX_ROWS) this.#keepPlace(() => this.#trimStart());
    this.list.updateReferences();
    this.onChange();
  }

  /**
   * Loads messages unless others are being loaded; drops the answer if something else is shown by then.
   * @template T
   * @param {() => Promise<T>} fetchPage
   * @returns {Promise<T | null>}
   */
  async #load(fetchPage) {
    if (this.#isLoading) return null;
    this.#isLoading = true;
    const viewId = this.#viewId;
    const answer = await fetchPage().catch(() => null);
    if (viewId !== this.#viewId) return null;
    this.#isLoading = false;
    // A scroll to the other end during the request was ignored, and may be the last one.
    if (answer) requestAnimationFrame(() => this.#handleScroll());
    return answer;
  }

  /**
   * @param {Message[]} messages
   * @param {string | null} nextBefore
   */
  #replace(messages, nextBefore) {
    this.#viewId++;
    this.#isLoading = false;
    this.#nextBefore = nextBefore;
    this.list.clear();
    messages.forEach((message) => this.list.insert(message));
    this.list.updateReferences();
    this.onChange();
  }

  #handleScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const below = scrollHeight - scrollTop - clientHeight;
    this.#isFollowing = below < END_TOLERANCE_PX && !this.isDetached;
    if (this.#isFollowing && this.unread) {
      this.unread = 0;
      this.onChange();
    }
    if (scrollTop < LOAD_DISTANCE_PX && this.#nextBefore) void this.loadOlder();
    else if (this.isDetached && below < LOAD_DISTANCE_PX) void this.#loadNewer();
  }

  #trimStart() {
    this.list.trimStart(KEPT_ROWS);
    this.#nextBefore = this.store.oldest.id;
  }

  /** Changes rows above the reader and keeps the line being read in place. @param {() => void} change */
  #keepPlace(change) {
    const fromEnd = this.element.scrollHeight - this.element.scrollTop;
    change();
    this.element.scrollTop = this.element.scrollHeight - fromEnd;
  }

  #scrollToEnd() {
    this.element.scrollTop = this.element.scrollHeight;
  }
}
