// The title card: season title, canvas size and the numbers of the season.

import { untilMultipleOf } from './frame-pacer.js';
import { byId, setText } from '../shared/dom.js';
import { formatClock, formatCount, formatDate } from '../shared/format.js';
import { loadLater } from '../shared/lazy-load.js';
import { seasonOf } from '../shared/season.js';
import { translate } from '../shared/translate.js';

// The number of placements is written this often at most: each time the page is laid out and drawn again.
const WRITE_INTERVAL_MS = 1000;
/** The facts that are known of a past moment too. */
const PAST_FACT_IDS = ['fact-day', 'fact-pixels'];

export class TitleCard {
  #facts = /** @type {HTMLElement} */ (byId('fact-day').parentElement);
  #pixels = 0;
  #writeTimer = 0;
  #head = 0;
  #season = '';
  #title = '';
  #canvasInfo = '';
  #hasEnd = false;
  /** The time at which the season was frozen, in milliseconds; `null` if it was not. @type {number | null} */ #frozenAt = null;
  /** @type {import('../time/time-scale.js').TimeScale | null} */ #scale = null;
  /** The live values, kept while the card shows a past moment. @type {Map<string, string> | null} */ #liveFacts = null;

  /** @param {import('../shared/types.js').CanvasBody} body */
  showCanvas(body) {
    this.showSeason(body.season);
    const values = { number: capital(numberWord(body.palette.length)), width: formatCount(body.width), height: formatCount(body.height) };
    this.#canvasInfo = translate('{number} colours,\n{width} × {height} pixels', values);
    if (!this.#liveFacts) byId('canvas-info').textContent = this.#canvasInfo;
  }

  /**
   * Shows a past moment: of its numbers only the day and the placements are known, and the others are hidden.
   * @param {number} at milliseconds
   */
  showPast(at) {
    this.#liveFacts ??= new Map(PAST_FACT_IDS.map((id) => [id, byId(id).textContent ?? '']));
    this.#facts.toggleAttribute('data-past', true);
    setText(byId('canvas-info'), translate('As it was at {time},\n{date}', { time: formatClock(at), date: formatDate(at) }));
    if (!this.#scale) return;
    setText(byId('fact-day'), formatCount(this.#scale.dayOf(at)));
    setText(byId('fact-pixels'), translate('about {count}', { count: formatCount(this.#scale.placedBy(at)) }));
  }

  /** Sets the time scale, from which the day of the season follows. @param {import('../time/time-scale.js').TimeScale} scale */
  setTimeScale(scale) {
    this.#scale = scale;
    this.#writeFact('fact-day', formatCount(scale.dayOf(this.#frozenAt ?? scale.now)));
  }

  showPresent() {
    const now = this.#liveFacts;
    this.#liveFacts = null;
    byId('canvas-info').textContent = this.#canvasInfo;
    now?.forEach((text, id) => { byId(id).textContent = text; });
    this.#facts.removeAttribute('data-past');
  }

  /**
   * Updates a live value; it is shown unless the card shows a past moment.
   * @param {string} id
   * @param {string} text
   */
  #writeFact(id, text) {
    if (this.#liveFacts?.has(id)) this.#liveFacts.set(id, text);
    else setText(byId(id), text);
  }

  /** @param {import('../shared/types.js').SeasonIdOrSeason} season */
  showSeason(season) {
    const { id, title } = seasonOf(season);
    if (id !== this.#season) this.#startSeason(id);
    this.#title = title || this.#title;
    if (this.#title) byId('season-title').textContent = this.#title;
  }

  /** Resets the numbers for another season. @param {string} id */
  #startSeason(id) {
    this.#season = id;
    this.#pixels = 0;
    this.#head = 0;
    this.#title = '';
    this.#scale = null;
    this.#writeFact('fact-day', '–');
  }

  /** @param {import('../shared/types.js').Stats} stats */
  showStats(stats) {
    const { id, title } = seasonOf(stats.season);
    this.showSeason({ id, title: stats.season_title || title || translate('The open canvas') });
    this.#writeFact('fact-agents', formatCount(stats.agents));
    this.#writeFact('fact-active', formatCount(stats.painters_last_hour));
    // The stream may be ahead of these numbers: the count of placements never goes back.
    this.#pixels = Math.max(this.#pixels, stats.pixels);
    this.#head = stats.head;
    this.#writePixels();
    this.#showEnd(stats.season_ends_at, stats.season_frozen_at);
  }

  /**
   * @param {string | null | undefined} endsAt
   * @param {string | null | undefined} frozenAt
   */
  #showEnd(endsAt, frozenAt) {
    this.#hasEnd ||= Boolean(endsAt || frozenAt);
    this.#frozenAt = frozenAt ? Date.parse(frozenAt) : null;
    if (this.#hasEnd) loadLater().then(({ showEnd }) => showEnd(endsAt, frozenAt, () => this.#scale?.now ?? Date.now()), () => {});
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  addPlacements(rows) {
    const fresh = rows.filter(([seq]) => seq > this.#head).length;
    if (!fresh || !this.#head) return;
    this.#pixels += fresh;
    this.#writeTimer ||= setTimeout(() => this.#writePixels(), untilMultipleOf(WRITE_INTERVAL_MS));
  }

  #writePixels() {
    clearTimeout(this.#writeTimer);
    this.#writeTimer = 0;
    this.#writeFact('fact-pixels', formatCount(this.#pixels));
  }

  /** @param {number} spectators */
  showWatching(spectators) {
    this.#writeFact('fact-watching', formatCount(spectators));
  }

  /** Clears the number of spectators, which nobody updates while disconnected. */
  clearWatching() {
    this.#writeFact('fact-watching', '–');
  }
}

/** @param {number} value */
function numberWord(value) {
  const words = { 2: translate('two'), 4: translate('four'), 8: translate('eight'), 16: translate('sixteen'), 32: translate('thirty-two') };
  return words[/** @type {keyof typeof words} */ (value)] ?? String(value);
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
