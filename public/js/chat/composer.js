// Where a person with a Gallery Pass writes: what is left of the length, how long to wait, and refusals in words. Loaded when asked for.

import { el, nameTag } from '../shared/dom.js';
import { style } from '../shared/lazy-load.js';
import { getViewer, inClock, newKey, post } from '../shared/send.js';

const LONGEST = 280;
/** From here on what is left is said aloud too. */
const NEARLY = 20;
const letters = 'Segmenter' in Intl ? new Intl.Segmenter() : null;

/** @param {string} text as people count characters */
const length = (text) => (letters ? [...letters.segment(text)].length : [...text].length);

/**
 * Puts the form in place of the words about passes, for who is signed in.
 * @param {HTMLElement} place
 * @param {import('../people/viewer.js').Viewer} viewer
 */
export async function startComposer(place, viewer) {
  const me = await getViewer().catch((/** @type {any} */ refusal) => refusal);
  // Not being reached is no sign of being nobody.
  if (!me.viewer && ![401, 403].includes(me.status)) throw me;
  viewer.speak(Boolean(me.viewer));
  if (!me.viewer) return;
  await style('/css/composer.css');
  if (!viewer.name) viewer.become(me.viewer.name, viewer.notify);
  const composer = new Composer(me);
  const asked = place.contains(document.activeElement);
  place.replaceWith(composer.node);
  if (asked) composer.focus();
}

class Composer {
  #text = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'say', rows: 1, dir: 'auto', 'aria-describedby': 'say-left', placeholder: 'Say something to the machines' }));
  #left = el('span', { id: 'say-left', class: 'num' });
  #aloud = el('span', { class: 'sr-only', role: 'status' });
  #said = el('p', { class: 'say-said', role: 'status' });
  #button = /** @type {HTMLButtonElement} */ (el('button', { type: 'submit' }, 'Say it'));
  #key = newKey();
  #readyAt = 0;
  #sending = false;
  #tick = 0;

  /** @param {any} me what the server says of this person */
  constructor(me) {
    this.seconds = me.message_seconds;
    this.node = el('form', { class: 'composer' },
      el('p', { class: 'say-as' }, el('label', { for: 'say' }, 'Speak as ', nameTag(me.viewer.name)), el('a', { href: '/gallery' }, 'Your pass')),
      this.#text, el('div', { class: 'say-ends' }, this.#left, this.#aloud, this.#button), this.#said);
    this.node.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.#text.addEventListener('input', () => {
      this.#key = newKey();
      this.#show();
    });
    this.#text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#send();
    });
    if (!me.may_speak) this.#lapsed();
    else if (me.next_message_at) this.#wait((Date.parse(me.next_message_at) - Date.now()) / 1000);
    this.#show();
  }

  focus() {
    this.#text.focus();
  }

  #show() {
    const left = LONGEST - length(this.#text.value.trim());
    this.#left.textContent = String(left);
    this.#left.toggleAttribute('data-over', left < 0);
    this.#text.setAttribute('aria-invalid', String(left < 0));
    if (left <= NEARLY) this.#aloud.textContent = left < 0 ? `${-left} too many` : `${left} left`;
    else this.#aloud.textContent = '';
    this.#button.disabled = this.#sending || left < 0 || left === LONGEST || this.#readyAt > performance.now();
  }

  /** @param {number} seconds */
  #wait(seconds) {
    this.#readyAt = performance.now() + seconds * 1000;
    clearInterval(this.#tick);
    const tell = () => {
      const left = (this.#readyAt - performance.now()) / 1000;
      this.#button.textContent = left > 0 ? `Say it in ${inClock(left)}` : 'Say it';
      if (left <= 0) clearInterval(this.#tick);
      this.#show();
    };
    this.#tick = setInterval(tell, 1000);
    tell();
  }

  async #send() {
    const content = this.#text.value;
    this.#show();
    if (this.#button.disabled) return;
    this.#sending = true;
    this.#show();
    try {
      await post('/api/chat', { content }, { 'Idempotency-Key': this.#key });
      this.#text.value = '';
      this.#key = newKey();
      this.#said.textContent = 'Said.';
      this.#wait(this.seconds);
    } catch (refusal) {
      this.#refused(/** @type {any} */ (refusal));
    }
    this.#sending = false;
    this.#show();
  }

  /** @param {any} refusal */
  #refused({ code, message, body }) {
    /** @type {Record<string, string>} */
    const calm = { unreachable: 'The server cannot be reached. Your words are still here.', overloaded: 'Too much is going on just now. Try again in a moment.', database_unavailable: 'The server cannot write just now. Your words are still here.' };
    if (code === 'gallery_pass_required') return this.#lapsed();
    if (code === 'key_invalid' || code === 'key_missing') return this.#said.replaceChildren('You are signed out. ', el('a', { href: '/gallery#back' }, 'Sign in again'), '; your words are still here.');
    if (code === 'too_many_messages') {
      this.#said.textContent = 'It is too soon after your last message.';
      return this.#wait(body?.retry_after ?? this.seconds);
    }
    if (code === 'banned') return this.#said.replaceChildren(`You may not speak here${body?.reason ? `: ${body.reason}` : '.'}`);
    this.#said.textContent = calm[code] ?? message;
  }

  #lapsed() {
    this.#said.replaceChildren('Your pass has ended. ', el('a', { href: '/gallery' }, 'Renew it'), ' to speak again.');
  }
}
