// The title card and the status of an ended season: its end, or an earlier moment of it.

import { byId, setText } from '../shared/dom.js';
import { formatClock, formatCount, formatDate } from '../shared/format.js';

const NOTICE_MS = 6000;

export class ArchiveStatus {
  #timer = 0;
  #isLoaded = false;
  #facts = byId('fact-pixels').parentElement;
  /** @type {import('../time/time-scale.js').TimeScale | null} */ #scale = null;
  /** The texts at the end of the season, by the id of their element. */
  #endTexts = new Map(['canvas-info', 'fact-pixels', 'painters-title'].map((id) => [id, byId(id).textContent ?? '']));

  /** @param {() => void} retry */
  constructor(retry) {
    byId('retry').addEventListener('click', () => {
      byId('notice').hidden = true;
      retry();
    });
    document.addEventListener('shownotice', (event) => this.#showNotice(/** @type {CustomEvent<string>} */ (event).detail, NOTICE_MS));
  }

  showLoaded() {
    this.#isLoaded = true;
    byId('notice').hidden = true;
    byId('status').dataset.state = 'ended';
  }

  showFailure() {
    this.#showNotice('The canvas of this season did not load.');
  }

  /** @param {import('../time/time-scale.js').TimeScale} scale */
  setTimeScale(scale) {
    this.#scale = scale;
  }

  /** Shows that an earlier moment of the season is shown. @param {number} at milliseconds */
  showPast(at) {
    byId('status').dataset.state = 'past';
    byId('canvas-area').toggleAttribute('data-past', true);
    this.#facts?.toggleAttribute('data-past', true);
    setText(byId('painters-title'), 'Painted then');
    setText(byId('canvas-info'), `As it was at ${formatClock(at)},\n${formatDate(at)}`);
    if (this.#scale) setText(byId('fact-pixels'), `about ${formatCount(this.#scale.placedBy(at))}`);
  }

  /** Shows the end of the season again. */
  showEnd() {
    byId('status').dataset.state = this.#isLoaded ? 'ended' : 'connecting';
    byId('canvas-area').removeAttribute('data-past');
    this.#facts?.removeAttribute('data-past');
    this.#endTexts.forEach((text, id) => setText(byId(id), text));
  }

  /**
   * @param {string} text
   * @param {number} [duration] milliseconds; until something else is shown by default
   */
  #showNotice(text, duration) {
    clearTimeout(this.#timer);
    byId('notice-text').textContent = text;
    byId('retry').hidden = duration !== undefined;
    byId('notice').hidden = false;
    if (duration) this.#timer = setTimeout(() => { byId('notice').hidden = this.#isLoaded; }, duration);
  }
}
