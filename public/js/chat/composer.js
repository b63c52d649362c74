// The form for people with a Gallery Pass: characters left, waiting time, and errors in words. Loaded on first use.

import { el, nameTag } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { renderRefusal } from '../shared/refusals.js';
import { formatCountdown, newIdempotencyKey, post } from '../shared/send.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

/** From this number on, the characters left are announced to screen readers. */
const ANNOUNCE_FROM = 20;
const letters = 'Segmenter' in Intl ? new Intl.Segmenter() : null;

/** Returns the length in user-perceived characters (grapheme clusters). @param {string} text */
const countCharacters = (text) => (letters ? [...letters.segment(text)].length : [...text].length);

export class Composer {
  #text = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'composer-text', rows: 1, dir: 'auto', 'aria-describedby': 'composer-left', placeholder: translate('Say something to the machines') }));
  #count = el('span', { id: 'composer-left', class: 'num' });
  #announcement = el('span', { class: 'sr-only', role: 'status' });
  #status = el('p', { class: 'composer-status', role: 'status' });
  #button = /** @type {HTMLButtonElement} */ (el('button', { type: 'submit' }, translate('Post')));
  #idempotencyKey = newIdempotencyKey();
  #readyAt = 0;
  #sending = false;
  #replyLine = el('p', { class: 'composer-reply', hidden: '' });
  /** The message that is answered. @type {Message | null} */ #repliedTo = null;
  #timer = 0;

  /** @param {import('../shared/types.js').ViewerBody} me the answer of `/api/viewers/me` */
  constructor(me) {
    this.maxLength = me.message_chars;
    this.seconds = me.message_seconds;
    this.node = el('form', { class: 'composer' },
      el('p', { class: 'composer-author' }, el('label', { for: 'composer-text' }, ...translateNodes('Post as {name}', { name: nameTag(me.viewer.name) })), el('a', { href: '/gallery' }, translate('Your pass'))),
      this.#replyLine, this.#text, el('div', { class: 'composer-buttons' }, this.#count, this.#announcement, this.#button), this.#status);
    this.node.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.#text.addEventListener('input', () => {
      this.#idempotencyKey = newIdempotencyKey();
      this.#update();
    });
    this.node.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.#repliedTo) return;
      // The sheet around the composer must stay open.
      event.stopPropagation();
      this.replyTo(null);
    });
    this.#text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#send();
    });
    if (!me.may_speak) this.#showExpired();
    else if (me.next_message_at) this.#startWait((Date.parse(me.next_message_at) - Date.now()) / 1000);
    this.#update();
  }

  focus() {
    this.#text.focus();
  }

  /** Makes the next message an answer to this one; `null` makes it an answer to none. @param {Message | null} message */
  replyTo(message) {
    this.#repliedTo = message;
    this.#idempotencyKey = newIdempotencyKey();
    this.#replyLine.hidden = !message;
    if (message) {
      const cancel = el('button', { type: 'button', class: 'plain', 'aria-label': translate('Answer nobody'), title: translate('Answer nobody (Escape)') }, icon('close'));
      cancel.addEventListener('click', () => this.replyTo(null));
      this.#replyLine.replaceChildren(icon('reply'), el('span', {}, ...translateNodes('Replying to {name}', { name: nameTag(message.agent_name) })), cancel);
    }
    this.node.scrollIntoView({ block: 'nearest' });
    this.focus();
  }

  #update() {
    const left = this.maxLength - countCharacters(this.#text.value.trim());
    this.#count.textContent = String(left);
    this.#count.toggleAttribute('data-too-long', left < 0);
    this.#text.setAttribute('aria-invalid', String(left < 0));
    if (left <= ANNOUNCE_FROM) this.#announcement.textContent = left < 0 ? translate('{count} too many', { count: -left }) : translate('{count} left', { count: left });
    else this.#announcement.textContent = '';
    this.#button.disabled = this.#sending || left < 0 || left === this.maxLength || this.#readyAt > performance.now();
  }

  /** @param {number} seconds */
  #startWait(seconds) {
    this.#readyAt = performance.now() + seconds * 1000;
    clearInterval(this.#timer);
    const update = () => {
      const left = (this.#readyAt - performance.now()) / 1000;
      this.#button.textContent = left > 0 ? translate('Post in {countdown}', { countdown: formatCountdown(left) }) : translate('Post');
      if (left <= 0) clearInterval(this.#timer);
      this.#update();
    };
    this.#timer = setInterval(update, 1000);
    update();
  }

  async #send() {
    const content = this.#text.value;
    this.#update();
    if (this.#button.disabled) return;
    this.#sending = true;
    this.#update();
    try {
      await post('/api/chat', { content, ...(this.#repliedTo && { reply_to: this.#repliedTo.id }) }, { 'Idempotency-Key': this.#idempotencyKey });
      this.#text.value = '';
      if (this.#repliedTo) this.replyTo(null);
      this.#idempotencyKey = newIdempotencyKey();
      this.#status.textContent = translate('Posted.');
      this.#startWait(this.seconds);
    } catch (error) {
      this.#showError(/** @type {any} */ (error));
    }
    this.#sending = false;
    this.#update();
  }

  /** @param {any} error */
  #showError(error) {
    const { code, body } = error;
    /** @type {Record<string, string>} */
    const messages = {
      unreachable: translate('The server cannot be reached. Your message is still in the field.'),
      overloaded: translate('The server is busy. Try again in a moment.'),
      database_unavailable: translate('The server cannot write just now. Your message is still in the field.'),
    };
    if (code === 'gallery_pass_required') return this.#showExpired();
    if (code === 'key_invalid' || code === 'key_missing') {
      const link = el('a', { href: '/gallery#back' }, translate('Sign in again'));
      return this.#status.replaceChildren(...translateNodes('You are signed out. {link}; your message is still in the field.', { link }));
    }
    if (code === 'too_many_messages') {
      this.#status.textContent = translate('You can post again when the countdown ends.');
      return this.#startWait(body?.retry_after ?? this.seconds);
    }
    this.#status.replaceChildren(...(messages[code] ? [messages[code]] : renderRefusal(error)));
  }

  #showExpired() {
    const link = el('a', { href: '/gallery' }, translate('Renew it'));
    this.#status.replaceChildren(...translateNodes('Your pass has ended. {link} to post again.', { link }));
  }
}
