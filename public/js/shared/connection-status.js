// Says whether the page is live; what is old is never shown as new.

import { byId } from './dom.js';
import { clockWithSeconds } from './format.js';

const WORDS = { connecting: 'Connecting', live: 'Live', down: 'Not live' };
// A cut shorter than this shows only at the lamp: a notice that blinks would be worse than none.
const GRACE_MS = 2500;
const MISSED_MS = 6000;

export class Status {
  #timer = 0;
  /** @type {Date | null} */ #liveUntil = null;
  /** @type {import('./sync.js').Line} */ #line = 'connecting';
  #past = false;

  /** @param {() => void} retry */
  constructor(retry) {
    byId('retry').addEventListener('click', retry);
    document.addEventListener('missed', () => this.#missed());
    this.#timer = setTimeout(() => this.#warn(), GRACE_MS * 2);
  }

  /** @param {import('./sync.js').Line} line */
  show(line) {
    if (line !== 'live' && this.#line === 'live') this.#liveUntil = new Date();
    if (line === 'live') this.#clear();
    else if (this.#line === 'live') this.#timer = setTimeout(() => this.#warn(), GRACE_MS);
    this.#line = line;
    this.#light();
  }

  /** Another moment is shown, or now again: what is past is never called live. @param {boolean} past */
  past(past) {
    if (past === this.#past) return;
    this.#past = past;
    byId('stage').toggleAttribute('data-past', past);
    this.#light();
  }

  #light() {
    byId('painters-title').textContent = this.#past ? 'Painting at present' : byId('stage').hasAttribute('data-stale') ? 'Painting last' : 'Painting now';
    const lamp = byId('status');
    lamp.dataset.state = this.#past ? 'past' : this.#line;
    /** @type {HTMLElement} */ (lamp.lastElementChild).textContent = this.#past ? 'Past' : WORDS[this.#line];
  }

  /** What somebody asked for has not come: said for a while, before what else there is to say. */
  #missed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#line === 'live' ? this.#clear() : this.#warn()), MISSED_MS);
    byId('notice-text').textContent = 'This did not load. Should it not come later either, load the page anew.';
    byId('notice').hidden = false;
  }

  #clear() {
    clearTimeout(this.#timer);
    byId('stage').removeAttribute('data-stale');
    byId('notice').hidden = true;
  }

  #warn() {
    byId('stage').toggleAttribute('data-stale', true);
    byId('notice-text').textContent = this.#liveUntil
      ? `Not live. ${this.#past ? 'The line was cut' : 'This is how it looked'} at ${clockWithSeconds(this.#liveUntil)}. Reconnecting.`
      : 'The gallery does not answer yet. Trying again.';
    byId('notice').hidden = false;
    this.#light();
  }
}
