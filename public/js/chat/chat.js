// The chat column: follows live, shows any part of the history around it, and never pulls a reader away from a line.

import { getChat } from '../shared/api.js';
import { ChatAside } from './background-chat.js';
import { startChatKeys } from './keyboard.js';
import { callsViewer } from './message.js';
import { ChatRows } from './message-list.js';
import { Voice } from './announcer.js';
import { ChatWords } from './captions.js';
import { byId } from '../shared/dom.js';
import { once } from '../shared/lazy-load.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').ChatPage} ChatPage */

const NEAR_END_PX = 60;
const NEAR_EDGE_PX = 400;
// Above this many rows those farthest away are let go again; scrolling there loads them back.
const MOST_ROWS = 600;
const KEPT_ROWS = 300;
const FOUND_MS = 2500;

export class Chat {
  /** The way back towards now, once somebody has gone far from it. @type {import('./newer-pages.js').NewerPages | null} */ #newer = null;
  #words = new ChatWords();
  /** The newest message of all. @type {Message | undefined} */ #latest;
  #voice = new Voice(byId('chat-spoken'));
  /** @type {Message[]} */ #arrived = [];
  /** @type {string | null} */ #nextBefore = null;
  /** Newer messages exist that have no row here; those that arrived since are kept for when the gap is closed. */
  #apart = false;
  /** @type {Message[]} */ #meanwhile = [];
  /** The present, while the chat of another moment is shown. @type {ChatAside | null} */ #present = null;
  /** Whoever wants it anew meanwhile waits for the same. @type {Promise<void | null> | null} */ #reloading = null;
  /** The moment whose chat is shown, if it is not now. @type {string | null} */ #until = null;
  /** Counts what was shown anew: an answer to an older question is dropped. */ #turn = 0;
  #loading = false;
  #unread = 0;
  #following = true;
  #flush = 0;

  /** @param {Omit<import('./message.js').Around, 'find' | 'jump'>} around */
  constructor(around) {
    this.log = byId('log');
    this.around = { ...around, find: (/** @type {string} */ id) => this.store.find(id), jump: (/** @type {string} */ id) => void this.show(id) };
    this.rows = new ChatRows(byId('messages'), this.around);
    this.log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    byId('new').addEventListener('click', () => void this.#toEnd());
    new ResizeObserver(() => { if (this.#following) this.#stick(); }).observe(this.log);
    startChatKeys(this.log, byId('messages'));
    const bringActs = once(() => import('./report-button.js').then(({ startActs }) => startActs(byId('messages'), this.around.find)));
    for (const kind of ['pointerover', 'focusin']) byId('messages').addEventListener(kind, () => void bringActs().catch(() => {}));
    around.viewer.onChange = () => this.rows.remark();
  }

  get store() {
    return this.rows.store;
  }

  /** The newest messages, from the server. @param {ChatPage} page */
  reset(page) {
    byId('chat').removeAttribute('data-off');
    this.#latest = page.messages[page.messages.length - 1];
    if (this.#present) this.#present = new ChatAside(page.messages, page.next_before !== null);
    else this.#showEnd(page);
    this.#settle();
  }

  /**
   * A second look at the newest page: adds what was missed, takes away what was taken down meanwhile.
   * @param {ChatPage} page
   */
  merge(page) {
    if (this.#present) return this.#present.merge(page);
    if (this.#apart) return void this.#meanwhile.push(...page.messages);
    if (!this.store.all.length) return this.reset(page);
    this.#take(page.messages);
    const ids = new Set(page.messages.map((message) => message.id));
    const [first, last] = [page.messages[0]?.seq ?? 0, page.messages.at(-1)?.seq ?? 0];
    this.store.all.filter(({ id, seq }) => seq >= first && seq <= last && !ids.has(id)).forEach(({ id }) => this.rows.remove(id));
  }

  /**
   * Something has just happened.
   * @param {string} kind
   * @param {any} data
   */
  event(kind, data) {
    if (kind === 'chat' && this.#words.off) return void this.#reload().then(() => { if (!this.#words.off) this.event(kind, data); });
    if (kind === 'chat') this.#heard(data);
    this.#present?.event(kind, data);
    // What was taken down is not read in the past either.
    if (!this.#present || kind === 'hidden') this.#apply(kind, data);
  }

  /**
   * The chat as it was at another moment; the present waits out of sight.
   * @param {ChatPage} page
   * @param {string} until that moment
   */
  showPast(page, until) {
    this.#takeArrived();
    this.#present ??= ChatAside.of(this.store.all, this.#nextBefore !== null, this.#apart ? this.#meanwhile : null);
    this.#until = until;
    this.#showEnd(page);
  }

  /**
   * Something happened at the moment that is shown.
   * @param {string} kind
   * @param {any} data
   */
  pastEvent(kind, data) {
    if (!this.#present) return;
    if (kind === 'chat') this.#until = data.timestamp;
    this.#apply(kind, data);
  }

  /** Back to now. */
  showPresent() {
    const present = this.#present;
    if (this.#words.off) void this.#reload();
    if (!present) return;
    this.#present = null;
    this.#until = null;
    this.#latest = present.messages.at(-1);
    this.#showEnd(present.page);
    if (!present.complete) void this.#reload();
  }

  /** @param {string} code */
  refused(code) {
    this.#words.refused(code, this.store.all.length > 0, () => void this.#reload());
  }

  /**
   * What the server tells; null where it does not answer, or has no chat any more.
   * @param {Parameters<typeof getChat>[0]} [query]
   */
  #ask(query) {
    return getChat(query).catch((refusal) => {
      if (refusal.code === 'chat_disabled') this.refused(refusal.code);
      return null;
    });
  }

  #reload() {
    const done = () => void (this.#reloading = null);
    return (this.#reloading ??= this.#ask().then((page) => page && this.reset(page)).finally(done));
  }

  /**
   * Goes to a message, however old it is.
   * @param {string} id
   */
  async show(id) {
    byId('chat').dispatchEvent(new CustomEvent('wanted'));
    if (!this.rows.find(id)) await this.#loadOlder();
    if (!this.rows.find(id)) await this.#travel(id);
    const row = this.rows.find(id);
    if (!row) return this.rows.gone(id);
    this.#following = false;
    row.scrollIntoView({ block: 'center' });
    row.focus({ preventScroll: true });
    row.toggleAttribute('data-found', true);
    setTimeout(() => row.removeAttribute('data-found'), FOUND_MS);
  }

  /** The rows around a message instead of those at the end. @param {string} id */
  async #travel(id) {
    const older = await this.#ask({ before: id });
    if (!older) return;
    const next = await this.#newerThan(older.messages, older.messages.at(-1)?.timestamp ?? new Date(0).toISOString()).catch(() => null);
    if (!next?.messages.some((message) => message.id === id)) return;
    this.#takeArrived();
    if (!this.#apart) this.#meanwhile = [];
    this.#apart = true;
    this.#begin([...older.messages, ...next.messages], older.next_before);
  }

  /**
   * @param {Message[]} known what is there tells how fast it goes
   * @param {string} since
   */
  async #newerThan(known, since) {
    const { NewerPages } = await import('./newer-pages.js');
    this.#newer ??= new NewerPages();
    this.#newer.learn(known);
    return this.#newer.after(since, this.#until);
  }

  /** @param {Message} message */
  #heard(message) {
    if (!message.content) return;
    this.#latest = message;
    if (!this.#present) this.#voice.say([message]);
    const { viewer } = this.around;
    if (!document.hidden || !viewer.notify || !callsViewer(message, this.around)) return;
    import('./notification.js').then(({ notify }) => notify(message, (id) => void this.show(id)), () => {});
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #apply(kind, data) {
    if (kind === 'chat') return this.#add(data);
    this.#takeArrived();
    if (kind === 'reaction') this.#react(data);
    if (kind === 'hidden') this.#remove(data.message_id);
    if (kind === 'restored') void this.#restore(data);
    this.#settle();
  }

  /** @param {Message} message */
  #add(message) {
    this.#arrived.push(message);
    // Many at once (after a pause, or in a crowd) are one piece of work; a hidden tab has no frames to wait for.
    if (document.hidden) this.#takeArrived();
    else if (!this.#flush) this.#flush = requestAnimationFrame(() => this.#takeArrived());
  }

  #takeArrived() {
    cancelAnimationFrame(this.#flush);
    this.#flush = 0;
    const arrived = this.#arrived;
    this.#arrived = [];
    if (arrived.length) this.#take(arrived);
  }

  /** @param {Message[]} arrived */
  #take(arrived) {
    // A catch-up of thousands need not be built only to be let go again.
    if (this.#apart) this.#meanwhile = [...this.#meanwhile, ...arrived].slice(-MOST_ROWS);
    const fresh = this.#apart ? arrived.length : arrived.slice(-MOST_ROWS).filter((message) => this.rows.insert(message)).length;
    if (!fresh) return;
    this.rows.relink();
    if (this.#following && !this.#apart) {
      if (this.store.all.length > MOST_ROWS) this.#trimStart();
      this.#stick();
    } else {
      this.#unread += fresh;
    }
    this.#settle();
  }

  /** @param {{message_id: string, reactions: import('../shared/types.js').Reaction[]}} data */
  #react({ message_id: id, reactions }) {
    this.#meanwhile.filter((message) => message.id === id).forEach((message) => { message.reactions = reactions; });
    this.rows.react(id, reactions);
    if (this.#following) this.#stick();
  }

  /** @param {string} id */
  #remove(id) {
    this.rows.remove(id);
    this.rows.gone(id);
    this.#meanwhile = this.#meanwhile.filter((message) => message.id !== id);
    if (this.#latest?.id === id) this.#latest = this.#meanwhile.at(-1) ?? this.store.newest;
  }

  /** @param {any} data the message itself, or only its id */
  async #restore(data) {
    if (data.content) return this.#add(data);
    const page = await this.#ask();
    if (page) this.merge(page);
  }

  /**
   * @param {ChatPage} page its last message is the newest of what is shown from now on
   */
  #showEnd(page) {
    this.#arrived = [];
    this.#meanwhile = [];
    this.#apart = false;
    this.#unread = 0;
    this.#following = true;
    this.#begin(page.messages, page.next_before);
    this.#stick();
  }

  /**
   * @param {Message[]} messages
   * @param {string | null} nextBefore
   */
  #begin(messages, nextBefore) {
    this.#turn++;
    this.#loading = false;
    this.#nextBefore = nextBefore;
    this.rows.clear();
    messages.forEach((message) => this.rows.insert(message));
    this.rows.relink();
    this.#settle();
  }

  #trimStart() {
    this.rows.trimStart(KEPT_ROWS);
    this.#nextBefore = this.store.oldest.id;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.log;
    const below = scrollHeight - scrollTop - clientHeight;
    this.#following = below < NEAR_END_PX && !this.#apart;
    if (this.#following && this.#unread) {
      this.#unread = 0;
      this.#settle();
    }
    if (scrollTop < NEAR_EDGE_PX && this.#nextBefore) void this.#loadOlder();
    else if (this.#apart && below < NEAR_EDGE_PX) void this.#loadNewer();
  }

  /**
   * Asks for rows, unless others are on their way, and forgets the answer when something else is shown by then.
   * @template T
   * @param {() => Promise<T>} ask
   * @returns {Promise<T | null>}
   */
  async #load(ask) {
    if (this.#loading) return null;
    this.#loading = true;
    const turn = this.#turn;
    const answer = await ask().catch(() => null);
    if (turn !== this.#turn) return null;
    this.#loading = false;
    // Who reached the other end meanwhile was turned away, and may not scroll again to be heard.
    if (answer) requestAnimationFrame(() => this.#scrolled());
    return answer;
  }

  async #loadOlder() {
    const before = this.#nextBefore;
    if (!before) return;
    const page = await this.#load(() => this.#ask({ before }));
    if (!page) return;
    this.#keepingPlace(() => {
      this.#nextBefore = page.next_before;
      page.messages.forEach((message) => this.rows.insert(message));
    });
    if (this.store.all.length > MOST_ROWS) this.#dropEnd();
    this.rows.relink();
    this.#settle();
  }

  #dropEnd() {
    this.rows.trimEnd(KEPT_ROWS);
    this.#apart = true;
  }

  async #loadNewer() {
    const { newest } = this.store;
    if (!newest) return;
    const page = await this.#load(() => this.#newerThan(this.store.all.slice(-50), newest.timestamp));
    if (!page) return;
    page.messages.forEach((message) => this.rows.insert(message));
    if (page.end) this.#rejoin();
    if (this.store.all.length > MOST_ROWS) this.#keepingPlace(() => this.#trimStart());
    this.rows.relink();
    this.#settle();
  }

  /** The rows reach the end again. */
  #rejoin() {
    this.#apart = false;
    this.#meanwhile.forEach((message) => this.rows.insert(message));
    this.#meanwhile = [];
  }

  /** Rows above the reader come or go; the line being read stays where it is. @param {() => void} work */
  #keepingPlace(work) {
    const fromEnd = this.log.scrollHeight - this.log.scrollTop;
    work();
    this.log.scrollTop = this.log.scrollHeight - fromEnd;
  }

  async #toEnd() {
    if (this.#apart) {
      const page = await this.#ask(this.#until ? { at: this.#until } : {});
      if (!page) return;
      this.#showEnd(page);
    }
    this.#following = true;
    this.#unread = 0;
    this.#settle();
    this.#stick();
    this.log.focus({ preventScroll: true });
  }

  #stick() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  #settle() {
    const some = this.store.all.length > 0;
    const past = this.#present !== null;
    const latest = this.#apart && !past ? this.#latest : this.store.newest;
    this.#words.settle({ unread: this.#unread, apart: this.#apart, some, more: this.#nextBefore !== null, latest, past });
  }
}
