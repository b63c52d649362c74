// The controls under the picture of a plan: play, the slider, and the shown moment.

import { byId } from '../shared/dom.js';
import { formatMoment } from '../shared/format.js';

/** @typedef {import('./replay.js').Replay} Replay */

export class ReplayBar {
  #slider = /** @type {HTMLInputElement} */ (byId('replay-slider'));
  #play = byId('replay-play');
  #moment = byId('replay-moment');
  #status = byId('replay-status');
  #isLive = false;
  #right = 0;

  /** @param {Replay} replay */
  constructor(replay) {
    this.replay = replay;
    byId('replay').hidden = false;
    this.#play.addEventListener('click', () => void this.#togglePlay());
    // The placements are loaded when somebody first asks for them.
    this.#slider.addEventListener('focus', () => void this.#load());
    this.#slider.addEventListener('input', () => void this.#seek());
    this.update();
  }

  /** @param {string} text */
  showMessage(text) {
    this.#status.textContent = text;
  }

  /** @param {boolean} isLive */
  showConnection(isLive) {
    this.#isLive = isLive;
    this.update();
  }

  /** Shows how many pixels are right at the shown moment. @param {number} right */
  showRight(right) {
    this.#right = right;
    this.#updateText();
  }

  /** Shows the moment of the replay. */
  update() {
    const { placements, shown, isPlaying } = this.replay;
    this.#slider.max = String(Math.max(1, placements.length));
    this.#slider.value = shown === null ? this.#slider.max : String(shown);
    this.#play.toggleAttribute('data-playing', isPlaying);
    this.#play.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play from the beginning');
    this.#updateText();
  }

  #updateText() {
    const moment = this.#describeMoment();
    this.#moment.textContent = moment;
    this.#slider.setAttribute('aria-valuetext', `${moment}: ${this.#right} ${this.#right === 1 ? 'pixel' : 'pixels'} right`);
  }

  #describeMoment() {
    const { shown, time } = this.replay;
    if (shown === null) return this.#moment.dataset.newest || (this.#isLive ? 'Now' : 'Not live');
    return time === null ? 'Before the first pixel' : formatMoment(time);
  }

  async #load() {
    try {
      await this.replay.load();
      this.showMessage(this.replay.placements.length ? '' : 'Nobody has painted here yet.');
      this.update();
      return this.replay.placements.length > 0;
    } catch {
      this.showMessage('The replay did not load. Try again.');
      return false;
    }
  }

  async #togglePlay() {
    if (this.replay.isPlaying) {
      this.replay.pause();
      return this.update();
    }
    if (await this.#load()) this.replay.play();
  }

  async #seek() {
    const fraction = Number(this.#slider.value) / Number(this.#slider.max);
    if (!(await this.#load())) return;
    this.replay.pause();
    const count = Math.round(fraction * this.replay.placements.length);
    if (count >= this.replay.placements.length) this.replay.showNewest();
    else this.replay.seek(count);
  }
}
