// The inbox of the viewer who is signed in: a button beside the chat's title, and a panel over the chat.

import { foldName } from './agent-names.js';
import { renderInboxItem } from './inbox-item.js';
import { renderNotificationSettings } from './notification-settings.js';
import { byId, el } from '../shared/dom.js';
import { formatShortCount, updateAges } from '../shared/format.js';
import { icon } from '../shared/icons.js';
import { once, reportLoadFailure } from '../shared/lazy-load.js';
import { getInbox, post } from '../shared/send.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').InboxItem} InboxItem */
/** @typedef {import('../shared/types.js').ViewerBody} ViewerBody */

// A server busy with many messages is asked at most this often.
const REFRESH_INTERVAL_MS = 2000;
// Direct messages are no events of the stream, so a visible page asks for them.
const POLL_INTERVAL_MS = 60_000;

export class Inbox {
  #count = el('span', { class: 'inbox-count num', 'aria-hidden': 'true', hidden: '' });
  #button = el('button', { type: 'button', class: 'icon-button inbox-button', 'aria-expanded': 'false', 'aria-controls': 'inbox' }, icon('inbox'), this.#count);
  #list = el('ol', { class: 'inbox-items' });
  #note = el('p', { class: 'inbox-note', role: 'status' });
  #title = el('h3', { id: 'inbox-title', tabindex: -1 }, translate('Inbox'));
  #readAll = /** @type {HTMLButtonElement} */ (el('button', { type: 'button' }, translate('Mark all as read')));
  #older = el('button', { type: 'button', class: 'inbox-older', hidden: '' }, translate('Older'));
  #settings = el('div', { class: 'inbox-settings' });
  #panel = el('section', { class: 'inbox', id: 'inbox', 'aria-labelledby': 'inbox-title', hidden: '' });
  /** @type {InboxItem[]} */ #items = [];
  /** @type {number | null} */ #nextBefore = null;
  #timer = 0;
  #refreshedAt = -REFRESH_INTERVAL_MS;

  /**
   * @param {ViewerBody} me
   * @param {import('../chat/chat.js').Chat} chat
   */
  constructor(me, chat) {
    this.me = me;
    this.chat = chat;
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Close the inbox') }, icon('close'));
    this.#panel.append(el('header', {}, this.#title, this.#readAll, close), this.#note, this.#list, this.#older, this.#settings);
    byId('chat-title').after(this.#button);
    byId('log').before(this.#panel);
    this.#button.addEventListener('click', () => this.#toggle());
    close.addEventListener('click', () => this.#close());
    this.#panel.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.#close();
    });
    this.#readAll.addEventListener('click', () => void this.#markRead({ up_to: this.#items[0]?.seq ?? 0 }));
    this.#older.addEventListener('click', () => void this.#loadOlder());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#scheduleRefresh(); });
    chat.listeners.push((kind, data) => { if (this.#concerns(kind, data)) this.#scheduleRefresh(); });
    setInterval(() => { if (!document.hidden) this.#scheduleRefresh(); }, POLL_INTERVAL_MS);
    this.#showUnread(me.unread ?? 0);
    this.#showDirect(me.unread_direct ?? 0);
  }

  #toggle() {
    if (!this.#panel.hidden) return this.#close();
    byId('chat').dispatchEvent(new CustomEvent('showchat'));
    this.#setOpen(true);
    this.#title.focus();
    void this.#refresh();
    void this.#renderSettings().catch(reportLoadFailure);
  }

  #close() {
    this.#setOpen(false);
    this.#button.focus();
  }

  /** @param {boolean} isOpen */
  #setOpen(isOpen) {
    this.#panel.hidden = !isOpen;
    this.#button.setAttribute('aria-expanded', String(isOpen));
    byId('chat').toggleAttribute('data-inbox', isOpen);
  }

  #renderSettings = once(() => renderNotificationSettings(this.#settings, this.me, this.chat.context.viewer));

  /**
   * Returns whether an event may add to the inbox, or change what it shows.
   * @param {string} kind
   * @param {any} data
   */
  #concerns(kind, data) {
    if (kind === 'reaction') return this.#isOwn(data.message_id);
    if (['hidden', 'restored', 'edited'].includes(kind)) return this.#items.some(({ message }) => message?.id === data.message_id);
    if (kind !== 'chat' || data.agent_id === this.me.viewer.id) return false;
    // A message that is not loaded may be one's own.
    const isReply = data.reply_to && (this.#isOwn(data.reply_to) || !this.chat.context.find(data.reply_to));
    return Boolean(isReply) || foldName(data.content ?? '').includes(`@${foldName(this.me.viewer.name)}`);
  }

  /** @param {string} id */
  #isOwn(id) {
    return this.chat.context.viewer.owns(this.chat.context.find(id));
  }

  #scheduleRefresh() {
    if (this.#timer) return;
    const wait = Math.max(0, this.#refreshedAt + REFRESH_INTERVAL_MS - performance.now());
    this.#timer = setTimeout(() => void this.#refresh(), wait);
  }

  async #refresh() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#refreshedAt = performance.now();
    const page = await getInbox(null).catch(() => null);
    if (!page) return void (this.#note.textContent = translate('The inbox did not load. It is tried again with the next message for you.'));
    this.#items = page.items;
    this.#showPage(page);
    this.#showDirect(page.items.filter(({ kind }) => kind === 'direct').reduce((sum, { count }) => sum + (count ?? 1), 0));
  }

  async #loadOlder() {
    const page = await getInbox(this.#nextBefore).catch(() => null);
    if (!page) return reportLoadFailure();
    const first = this.#items.length;
    this.#items = [...this.#items, ...page.items];
    this.#showPage(page);
    /** @type {HTMLElement | null | undefined} */ (this.#list.children[first]?.querySelector('button'))?.focus();
  }

  /** @param {import('../shared/types.js').InboxPage} page */
  #showPage(page) {
    this.#nextBefore = page.next_before ?? null;
    this.#older.hidden = this.#nextBefore === null;
    this.#note.textContent = this.#items.length ? '' : translate('Nothing yet. Who mentions @{name}, answers you or reacts to you is listed here.', { name: this.me.viewer.name });
    this.#renderItems();
    this.#showUnread(page.unread);
  }

  /** Shows the items; a focused one keeps the focus. */
  #renderItems() {
    const focused = this.#list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.item : undefined;
    this.#list.replaceChildren(...this.#items.map((item) => renderInboxItem(item, () => this.#open(item))));
    if (focused) (/** @type {HTMLElement | null} */ (this.#list.querySelector(`[data-item="${CSS.escape(focused)}"]`)) ?? this.#title).focus();
    updateAges(this.#list);
  }

  /** Shows the message of an item and marks the item as read. @param {InboxItem} item */
  #open(item) {
    this.#setOpen(false);
    // The page of a conversation marks what it shows as read.
    if (item.conversation_id) return void location.assign(`/messages/${encodeURIComponent(item.conversation_id)}`);
    if (!item.read) void this.#markRead({ ids: [item.id] });
    if (item.plan_id) return void location.assign(`/plans/${encodeURIComponent(item.plan_id)}`);
    if (item.message) void this.chat.showMessage(item.message.id);
  }

  /** @param {{ids?: string[], up_to?: number}} which */
  async #markRead(which) {
    const answer = await post('/api/inbox/read', which).catch(() => null);
    if (!answer) return reportLoadFailure();
    const isMarked = (/** @type {InboxItem} */ { id, seq }) => which.ids?.includes(id) || seq <= (which.up_to ?? -1);
    this.#items.filter(isMarked).forEach((item) => { item.read = true; });
    this.#renderItems();
    this.#showUnread(answer.unread);
  }

  /** Shows the number of unread direct messages at the links to them. @param {number} unread */
  #showDirect(unread) {
    for (const link of document.querySelectorAll('a[href="/messages"]')) {
      link.textContent = unread ? translate('Messages ({count} unread)', { count: unread }) : translate('Messages');
    }
  }

  /** @param {number} unread */
  #showUnread(unread) {
    const label = unread ? translate('Inbox, {count} unread', { count: unread }) : translate('Inbox, nothing unread');
    this.#button.setAttribute('aria-label', label);
    this.#button.title = label;
    this.#count.textContent = formatShortCount(unread);
    this.#count.hidden = unread === 0;
    this.#readAll.disabled = unread === 0;
  }
}
