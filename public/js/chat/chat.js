// The chat: shows the live messages or those of a past moment, and any message of the history on request.

import { Announcer } from './announcer.js';
import { BackgroundChat } from './background-chat.js';
import { ChatTexts } from './chat-texts.js';
import { startChatKeyboard } from './keyboard.js';
import { MessageLog } from './message-log.js';
import { findChanges } from './message-store.js';
import { mentionsViewer } from './message.js';
import { getChat } from '../shared/api.js';
import { byId } from '../shared/dom.js';
import { loadTools, once } from '../shared/lazy-load.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').ChatPage} ChatPage */

const FOUND_MS = 2500;

export class Chat {
  /** Loads newer pages, once old messages are shown. @type {import('./newer-pages.js').NewerPages | null} */ #newerPages = null;
  #texts = new ChatTexts();
  #announcer = new Announcer(byId('chat-announcement'));
  /** The newest live message. @type {Message | undefined} */ #latest;
  /** The live chat, while a past moment is shown. @type {BackgroundChat | null} */ #background = null;
  /** The running reload, which all callers share. @type {Promise<void | null> | null} */ #reloading = null;
  /** The past moment that is shown; `null` while live. @type {string | null} */ #until = null;
  /** The actions on a message. @type {import('./message-actions.js').MessageAction[]} */ actions = [];
  /** Called with every live event. @type {((kind: string, data: any) => void)[]} */ listeners = [];
  /** Called with every event of the chat that is shown, live or past; with each message once. @type {((kind: string, data: any) => void)[]} */ shownListeners = [];

  /** @param {Omit<import('./message.js').MessageContext, 'find' | 'showMessage'>} context */
  constructor(context) {
    this.context = { ...context, find: (/** @type {string} */ id) => this.log.store.find(id), showMessage: (/** @type {string} */ id) => void this.showMessage(id) };
    this.log = new MessageLog(this.context, {
      fetchOlder: (before) => this.#fetch({ before }),
      fetchNewer: (known, since) => this.#fetchNewer(known, since),
      fetchEnd: () => this.#fetch(this.#until ? { at: this.#until } : {}),
    }, () => this.#updateTexts());
    byId('new-messages').addEventListener('click', () => void this.log.returnToEnd());
    startChatKeyboard(this.log.element, byId('messages'));
    const loadActions = once(() => loadTools().then(({ startMessageActions }) => startMessageActions(byId('messages'), this)));
    for (const kind of ['pointerover', 'focusin']) byId('messages').addEventListener(kind, () => void loadActions().catch(() => {}));
    context.viewer.onChange = () => this.log.list.updateMarks();
  }

  /** Shows the newest messages. @param {ChatPage} page */
  showLatest(page) {
    byId('chat').removeAttribute('data-disabled');
    this.#latest = page.messages[page.messages.length - 1];
    if (this.#background) this.#background = new BackgroundChat(page.messages, page.next_before !== null);
    else this.log.showEnd(page);
    this.#updateTexts();
  }

  /**
   * Merges a newer version of the newest page: adds missed messages and changes, and removes hidden messages.
   * @param {ChatPage} page
   */
  mergeLatest(page) {
    if (this.#background) return this.#background.merge(page);
    const { newer, store } = this.log;
    if (newer) return void newer.push(...page.messages);
    if (!store.all.length) return this.showLatest(page);
    this.log.insert(page.messages);
    page.messages.forEach(({ id, folded }) => this.log.list.setFolded(id, Boolean(folded)));
    this.log.list.mergeChanges(page.messages);
    const ids = new Set(page.messages.map((message) => message.id));
    const [first, last] = [page.messages[0]?.seq ?? 0, page.messages.at(-1)?.seq ?? 0];
    store.all.filter(({ id, seq }) => seq >= first && seq <= last && !ids.has(id)).forEach(({ id }) => this.log.list.remove(id));
  }

  /**
   * Applies a live event.
   * @param {string} kind
   * @param {any} data
   */
  handleEvent(kind, data) {
    if (kind === 'chat' && this.#texts.isDisabled) void this.#reload();
    // The page that is requested may be older than the event and replaces what is shown.
    if (this.#reloading) return void this.#reloading.then(() => { if (kind !== 'chat' || !this.#texts.isDisabled) this.handleEvent(kind, data); });
    if (kind === 'chat') this.#notify(data);
    this.listeners.forEach((listen) => listen(kind, data));
    this.#background?.handleEvent(kind, data);
    // A message is hidden, edited or folded in past moments too, and intents have the state of today there.
    if (!this.#background || ['hidden', 'edited', 'folded', 'intent'].includes(kind)) this.#apply(kind, data);
  }

  /** Opens or closes the chat on an operator's decision. What the visitor has written stays. @param {boolean} isEnabled */
  setEnabled(isEnabled) {
    if (isEnabled !== this.#texts.isDisabled) return;
    byId('chat-announcement').textContent = translate(isEnabled ? 'The chat is open again.' : 'The chat is switched off. The painting goes on.');
    this.#texts.setDisabled(!isEnabled);
    if (!isEnabled) return;
    this.#updateTexts();
    void this.#reload();
  }

  /**
   * Shows the chat of a past moment and keeps the live one in the background.
   * @param {ChatPage} page
   * @param {string} until that moment
   */
  showPast(page, until) {
    this.log.insertArrived();
    this.#background ??= BackgroundChat.fromShown(this.log.store.all, this.log.hasOlder, this.log.newer);
    this.#until = until;
    this.log.showEnd(page);
  }

  /**
   * Applies an event of the past moment that is shown.
   * @param {string} kind
   * @param {any} data
   */
  handlePastEvent(kind, data) {
    if (!this.#background) return;
    if (kind === 'chat') this.#until = data.timestamp;
    this.#apply(kind, data);
  }

  /** Returns to the live chat. */
  showPresent() {
    const background = this.#background;
    if (this.#texts.isDisabled) void this.#reload();
    if (!background) return;
    this.#background = null;
    this.#until = null;
    this.#latest = background.messages.at(-1);
    this.log.showEnd(background.page);
    if (!background.isComplete) void this.#reload();
  }

  /** @param {string} code */
  showError(code) {
    this.#texts.showError(code, this.log.store.all.length > 0, () => void this.#reload());
  }

  /**
   * Shows a message, however old it is.
   * @param {string} id
   * @returns {Promise<boolean>} whether it was found
   */
  async showMessage(id) {
    byId('chat').dispatchEvent(new CustomEvent('showchat'));
    const { list } = this.log;
    if (!list.find(id)) await this.log.loadOlder();
    if (!list.find(id)) await this.#loadAround(id);
    const row = list.find(id);
    if (!row) {
      list.markMissing(id);
      return false;
    }
    this.log.showRow(row);
    row.toggleAttribute('data-highlighted', true);
    setTimeout(() => row.removeAttribute('data-highlighted'), FOUND_MS);
    return true;
  }

  /** Shows the messages around an old one in place of the newest ones. @param {string} id */
  async #loadAround(id) {
    const older = await this.#fetch({ before: id });
    if (!older) return;
    const next = await this.#fetchNewer(older.messages, older.messages.at(-1)?.timestamp ?? new Date(0).toISOString()).catch(() => null);
    if (!next?.messages.some((message) => message.id === id)) return;
    this.log.showRange([...older.messages, ...next.messages], older.next_before);
  }

  /**
   * Requests a page; `null` if the request fails. Shows it if the chat is switched off.
   * @param {Parameters<typeof getChat>[0]} [query]
   */
  #fetch(query) {
    return getChat(query).catch((error) => {
      if (error.code === 'chat_disabled') this.showError(error.code);
      return null;
    });
  }

  #reload() {
    const done = () => void (this.#reloading = null);
    return (this.#reloading ??= this.#fetch().then((page) => page && this.showLatest(page)).finally(done));
  }

  /**
   * @param {Message[]} known messages from which the density of the chat is estimated
   * @param {string} since
   */
  async #fetchNewer(known, since) {
    const { NewerPages } = await loadTools();
    this.#newerPages ??= new NewerPages();
    this.#newerPages.estimateSpan(known);
    return this.#newerPages.fetchAfter(since, this.#until);
  }

  /** Announces a live message and notifies the visitor of a mention. @param {Message} message */
  #notify(message) {
    if (!message.content || this.context.find(message.id)) return;
    this.#latest = message;
    if (!this.#background) this.#announcer.announce([message]);
    const { viewer } = this.context;
    if (!document.hidden || !viewer.notify || viewer.isPushed || !mentionsViewer(message, this.context)) return;
    loadTools().then(({ showNotification }) => showNotification(message, (id) => void this.showMessage(id)), () => {});
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #apply(kind, data) {
    if (kind !== 'chat' || !this.context.find(data.id)) this.shownListeners.forEach((listen) => listen(kind, data));
    if (kind === 'chat') return this.log.add(data);
    this.log.insertArrived();
    const changes = findChanges(kind, data);
    if (changes) this.log.update(data.message_id, changes);
    if (changes && this.#latest && this.#latest.id === data.message_id) Object.assign(this.#latest, changes);
    if (kind === 'hidden') this.#remove(data.message_id);
    if (kind === 'folded') this.#setFolded(data);
    if (kind === 'restored') void this.#restore(data);
    this.#updateTexts();
  }

  /** @param {string} id */
  #remove(id) {
    const newest = this.log.remove(id);
    if (this.#latest?.id === id) this.#latest = newest;
  }

  /** @param {{message_id: string, folded: boolean}} change */
  #setFolded({ message_id: id, folded }) {
    this.log.newer?.filter((message) => message.id === id).forEach((message) => { message.folded = folded; });
    this.log.list.setFolded(id, folded);
  }

  /** @param {any} data the message itself, or only its id */
  async #restore(data) {
    if (data.content) return this.log.add(data);
    const page = await this.#fetch();
    if (page) this.mergeLatest(page);
  }

  #updateTexts() {
    const { unread, isDetached, hasOlder, store } = this.log;
    const isPast = this.#background !== null;
    const latest = isDetached && !isPast ? this.#latest : store.newest;
    this.#texts.update({ unread, isDetached, hasMessages: store.all.length > 0, hasOlder, latest, isPast });
  }
}
