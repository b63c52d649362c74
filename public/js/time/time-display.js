// The elements of the time bar: slider, moment, play button and messages.

import { byId } from '../shared/dom.js';
import { formatCount, formatMoment, formatMonthDay } from '../shared/format.js';
import { translate } from '../shared/translate.js';

const MESSAGE_MS = 4000;
// How often screen readers are told the moment during playback.
const ANNOUNCE_INTERVAL_MS = 3000;

/**
 * @typedef {object} TimeState
 * @property {import('./time-scale.js').TimeScale} scale
 * @property {number | null} time the moment at which the slider stands; `null` for now
 * @property {boolean} isPast whether a past moment is shown
 * @property {boolean} isPlaying
 * @property {boolean} isLive whether now is up to date
 * @property {boolean} isFrozen whether the season is frozen, so that nothing is live
 */

export class TimeDisplay {
  #messageTimer = 0;
  #announcedAt = 0;
  slider = /** @type {HTMLInputElement} */ (byId('time-slider'));

  /** @param {TimeState} state */
  render({ scale, time, isPast, isPlaying, isLive, isFrozen }) {
    const fraction = time === null ? 1 : scale.fraction(time);
    this.slider.value = String(fraction * Number(this.slider.max));
    const bar = byId('time');
    bar.style.setProperty('--at', String(fraction));
    bar.toggleAttribute('data-past', isPast);
    const words = time === null ? translate('Since {date}', { date: formatMonthDay(scale.start) }) : formatMoment(time);
    byId('time-moment').textContent = words;
    const end = scale.hasEnded ? translate('End of the season') : isFrozen ? translate('Now, frozen') : translate(isLive ? 'Now, live' : 'Now, not live');
    if (!scale.hasEnded) /** @type {ChildNode} */ (byId('time-live').firstChild).textContent = `${translate(isFrozen ? 'Now' : 'Live')} `;
    this.#announce(time === null ? end : translate('{moment}, past', { moment: words }), isPlaying);
    byId('time-play').title = isPlaying ? '' : translate(time === null ? 'Replay how the picture came about' : 'Play on from here');
    byId('time-play').toggleAttribute('data-playing', isPlaying);
    byId('time-play-label').textContent = translate(isPlaying ? 'Pause' : 'Replay');
  }

  /** Shows the number of live placements that are not drawn. @param {number} count */
  renderMissed(count) {
    byId('time-missed').textContent = count ? `+${formatCount(count)}` : '';
  }

  /**
   * Shows a message for a while.
   * @param {string | Node} words
   * @param {boolean} [stays] until another message replaces it
   */
  showMessage(words, stays = false) {
    clearTimeout(this.#messageTimer);
    byId('time-message').replaceChildren(words);
    if (words && !stays) this.#messageTimer = setTimeout(() => this.showMessage(''), MESSAGE_MS);
  }

  /**
   * @param {string} words
   * @param {boolean} isPlaying
   */
  #announce(words, isPlaying) {
    const now = performance.now();
    if (isPlaying && now - this.#announcedAt < ANNOUNCE_INTERVAL_MS) return;
    this.#announcedAt = now;
    this.slider.setAttribute('aria-valuetext', words);
  }
}
