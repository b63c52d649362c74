// Shows whether the page is live; outdated content is never shown as live.

import { byId } from './dom.js';
import { formatClockSeconds } from './format.js';
import { translate } from './translate.js';

const LABELS = { connecting: translate('Connecting'), live: translate('Live'), down: translate('Not live') };
// A shorter interruption shows only at the status dot: a flashing notice would be worse than none.
const WARN_AFTER_MS = 2500;
const NOTICE_MS = 6000;

export class ConnectionStatus {
  #timer = 0;
  /** @type {Date | null} */ #lastLiveAt = null;
  /** @type {import('./sync.js').ConnectionState} */ #connection = 'connecting';
  #isPast = false;
  #isFrozen = false;

  /** @param {() => void} retry */
  constructor(retry) {
    byId('retry').addEventListener('click', retry);
    document.addEventListener('shownotice', (event) => this.#showNotice(/** @type {CustomEvent<string>} */ (event).detail));
    this.#timer = setTimeout(() => this.#warn(), WARN_AFTER_MS * 2);
  }

  /** @param {import('./sync.js').ConnectionState} connection */
  show(connection) {
    if (connection !== 'live' && this.#connection === 'live') this.#lastLiveAt = new Date();
    if (connection === 'live') this.#clear();
    else if (this.#connection === 'live') this.#timer = setTimeout(() => this.#warn(), WARN_AFTER_MS);
    this.#connection = connection;
    this.#update();
  }

  /** Shows that a past moment is shown: it is never called live. @param {boolean} past */
  setPast(past) {
    if (past === this.#isPast) return;
    this.#isPast = past;
    byId('canvas-area').toggleAttribute('data-past', past);
    this.#update();
  }

  get isFrozen() {
    return this.#isFrozen;
  }

  /** Shows whether the season is frozen: nobody paints then, so the page is not called live. @param {boolean} frozen */
  setFrozen(frozen) {
    if (frozen === this.#isFrozen) return;
    this.#isFrozen = frozen;
    this.#update();
  }

  #update() {
    const isFrozen = this.#isFrozen && this.#connection === 'live';
    const isLast = isFrozen || byId('canvas-area').hasAttribute('data-stale');
    byId('painters-title').textContent = this.#isPast ? translate('Painted then') : translate(isLast ? 'Painted last' : 'Painting now');
    const status = byId('status');
    status.dataset.state = this.#isPast ? 'past' : isFrozen ? 'ended' : this.#connection;
    /** @type {HTMLElement} */ (status.lastElementChild).textContent = this.#isPast ? translate('Past') : isFrozen ? translate('Frozen') : LABELS[this.#connection];
  }

  /** Says something for a while, with priority over the connection. @param {string} text */
  #showNotice(text) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#connection === 'live' ? this.#clear() : this.#warn()), NOTICE_MS);
    byId('notice-text').textContent = text;
    byId('retry').hidden = true;
    byId('notice').hidden = false;
  }

  #clear() {
    clearTimeout(this.#timer);
    byId('canvas-area').removeAttribute('data-stale');
    byId('notice').hidden = true;
  }

  #warn() {
    byId('canvas-area').toggleAttribute('data-stale', true);
    byId('notice-text').textContent = this.#lastLiveAt
      ? translate(this.#isPast ? 'Not live. The connection was lost at {time}. Reconnecting.' : 'Not live. This is how it looked at {time}. Reconnecting.', { time: formatClockSeconds(this.#lastLiveAt) })
      : translate('The server does not respond yet. Trying again.');
    byId('retry').hidden = false;
    byId('notice').hidden = false;
    this.#update();
  }
}
