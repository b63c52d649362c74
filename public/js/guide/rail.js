// The frame of the guide: a column beside the chat, which collapses to a tab; on small screens a sheet.

import { renderError } from './errors.js';
import { storePreference } from './preferences.js';
import { Resizer } from './resizer.js';
import { byId, el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { translate } from '../shared/translate.js';

// From here on the canvas and the chat stay visible beside the guide.
const coversCanvas = matchMedia('(max-width: 59.99rem)');
const coversChat = matchMedia('(max-width: 74.99rem)');
// The log follows its end while the visitor is this near to it.
const NEAR_END_PX = 80;

export class Rail {
  log = el('div', { class: 'guide-log', role: 'log', 'aria-live': 'off', 'aria-label': translate('Conversation with the guide'), tabindex: 0 });
  #status = el('p', { class: 'sr-only guide-announcement', role: 'status' });
  #forget = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Delete the conversation'), title: translate('Delete the conversation') }, icon('delete'));
  #confirmation = el('div', { class: 'guide-confirmation', role: 'group', 'aria-label': translate('Delete the conversation'), hidden: '' });
  #layout = /** @type {HTMLElement} */ (byId('chat').parentElement);
  /** The height of the log when it last grew. */ #shownHeight = 0;
  /** Called after the guide was opened. @type {() => void} */ onOpen = () => {};

  /**
   * @param {HTMLElement} tab
   * @param {HTMLElement} form
   * @param {() => Promise<void>} forget deletes the conversation
   * @param {() => boolean} isShared returns whether it is the conversation of all operators
   */
  constructor(tab, form, forget, isShared) {
    this.tab = tab;
    this.forget = forget;
    this.isShared = isShared;
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Collapse the guide'), title: translate('Collapse the guide (Esc)') }, icon('close'));
    this.node = el('aside', { class: 'guide', id: 'guide', 'aria-labelledby': 'guide-title', hidden: '' },
      new Resizer(this.#layout).node, el('header', { class: 'guide-header' }, el('h2', { id: 'guide-title' }, translate('Guide')), this.#forget, close), this.#confirmation, this.log, this.#status, form);
    close.addEventListener('click', () => this.close());
    this.#forget.addEventListener('click', () => this.#askToForget());
    this.node.addEventListener('keydown', (event) => this.#handleKey(event));
    this.log.addEventListener('grown', () => this.#followEnd());
    this.log.addEventListener('asked', () => this.scrollToEnd());
    this.#layout.append(this.node);
  }

  get isOpen() {
    return !this.node.hidden;
  }

  open() {
    if (this.isOpen) return;
    this.node.hidden = false;
    this.tab.hidden = true;
    this.#layout.toggleAttribute('data-guide', true);
    storePreference('open', 'yes');
    this.scrollToEnd();
    this.onOpen();
  }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.node.contains(document.activeElement);
    this.node.hidden = true;
    this.tab.hidden = false;
    this.#layout.removeAttribute('data-guide');
    storePreference('open', 'no');
    if (hadFocus) this.tab.focus({ preventScroll: true });
  }

  /** Closes the guide if it covers what the visitor wants to see. @param {'canvas' | 'chat'} part */
  giveWay(part) {
    if (part === 'canvas' ? coversCanvas.matches : coversChat.matches) this.close();
  }

  /** Tells screen readers. @param {string} text */
  announce(text) {
    this.#status.textContent = text;
  }

  scrollToEnd() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  #followEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.log;
    const grown = this.#shownHeight;
    this.#shownHeight = scrollHeight;
    if (scrollTop + clientHeight > Math.min(grown, scrollHeight) - NEAR_END_PX) this.scrollToEnd();
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    // Cards and plans close by Escape, too, but not at the same time.
    event.preventDefault();
    if (this.#confirmation.hidden) this.close();
    else this.#endConfirmation();
  }

  #askToForget() {
    if (!this.#confirmation.hidden) return this.#endConfirmation();
    const words = translate(this.isShared() ? 'Delete this conversation for good, for all operators?' : 'Delete this conversation for good?');
    const status = el('p', { role: 'status' });
    const [yes, no] = [el('button', { type: 'button' }, translate('Delete')), el('button', { type: 'button' }, translate('Keep it'))];
    yes.addEventListener('click', () => void this.forget().then(() => this.#endConfirmation(), (error) => {
      status.replaceChildren(...renderError(error, { unreachable: translate('Try again.') }));
    }));
    no.addEventListener('click', () => this.#endConfirmation());
    this.#confirmation.replaceChildren(el('p', {}, words), el('p', { class: 'guide-draft-buttons' }, yes, no), status);
    this.#confirmation.hidden = false;
    no.focus();
  }

  #endConfirmation() {
    this.#confirmation.hidden = true;
    this.#forget.focus();
  }
}
