// The museum label: title, medium, and the numbers of this season.

import { byId } from '../shared/dom.js';
import { seasonOf } from '../shared/season.js';
import { clockWithSeconds, count, plainDay } from '../shared/format.js';

const FACTS = ['fact-day', 'fact-agents', 'fact-active', 'fact-pixels', 'fact-watching'];

export class Placard {
  #pixels = 0;
  #head = 0;
  #season = '';
  #title = '';
  #medium = '';
  #ends = false;
  /** When the season was frozen, in milliseconds. @type {number | null} */ #frozen = null;
  /** @type {import('../time/time-scale.js').TimeScale | null} */ #scale = null;
  /** What is known of now, while the label speaks of another moment. @type {Map<string, string> | null} */ #now = null;

  /** @param {import('../shared/types.js').CanvasBody} body */
  showCanvas(body) {
    this.showSeason(body.season);
    this.#medium = `${capital(numberWord(body.palette.length))} colours,\n${count(body.width)} × ${count(body.height)} pixels`;
    if (!this.#now) byId('medium').textContent = this.#medium;
  }

  /**
   * The label of another moment: of its numbers only the day and the strokes are known.
   * @param {number} at milliseconds
   */
  showPast(at) {
    this.#now ??= new Map(FACTS.map((id) => [id, byId(id).textContent ?? '']));
    put('medium', `As it was at ${clockWithSeconds(new Date(at))},\n${plainDay(at)}`);
    const scale = this.#scale;
    /** @type {Record<string, string>} */ const known = scale ? { 'fact-day': count(scale.day(at)), 'fact-pixels': `about ${count(scale.placedBy(at))}` } : {};
    FACTS.forEach((id) => put(id, known[id] ?? '–'));
  }

  /** How long the season has lasted is known. @param {import('../time/time-scale.js').TimeScale} scale */
  tell(scale) {
    this.#scale = scale;
    this.#write('fact-day', count(scale.day(this.#frozen ?? scale.now)));
  }

  showPresent() {
    const now = this.#now;
    this.#now = null;
    byId('medium').textContent = this.#medium;
    now?.forEach((text, id) => { byId(id).textContent = text; });
  }

  /**
   * @param {string} id
   * @param {string} text
   */
  #write(id, text) {
    if (this.#now) this.#now.set(id, text);
    else put(id, text);
  }

  /** @param {import('../shared/types.js').SeasonLike} season */
  showSeason(season) {
    const { id, title } = seasonOf(season);
    if (id !== this.#season) this.#forget(id);
    this.#title = title || this.#title;
    if (this.#title) byId('season-title').textContent = this.#title;
  }

  /** Another season has begun: its numbers start anew. @param {string} id */
  #forget(id) {
    this.#season = id;
    this.#pixels = 0;
    this.#head = 0;
    this.#title = '';
    this.#scale = null;
    this.#write('fact-day', '–');
  }

  /** @param {import('../shared/types.js').Stats} stats */
  showStats(stats) {
    const { id, title } = seasonOf(stats.season);
    this.showSeason({ id, title: stats.season_title || title || 'The open canvas' });
    this.#write('fact-agents', count(stats.agents));
    this.#write('fact-active', count(stats.painters_last_hour));
    // The stream may be ahead of these numbers: a count of strokes never goes back.
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
    this.#ends ||= Boolean(endsAt || frozenAt);
    this.#frozen = frozenAt ? Date.parse(frozenAt) : null;
    if (this.#ends) import('./countdown.js').then(({ showEnd }) => showEnd(endsAt, frozenAt, () => this.#scale?.now ?? Date.now()));
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  saw(rows) {
    const fresh = rows.filter(([seq]) => seq > this.#head).length;
    if (!fresh || !this.#head) return;
    this.#pixels += fresh;
    this.#writePixels();
  }

  #writePixels() {
    this.#write('fact-pixels', count(this.#pixels));
  }

  /** @param {number} spectators */
  watching(spectators) {
    this.#write('fact-watching', count(spectators));
  }

  /** Numbers that nobody updates are not shown as now. */
  dim() {
    this.#write('fact-watching', '–');
  }
}

/** @param {number} value */
function numberWord(value) {
  const words = { 2: 'two', 4: 'four', 8: 'eight', 16: 'sixteen', 32: 'thirty-two' };
  return words[/** @type {keyof typeof words} */ (value)] ?? String(value);
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * While the season plays this is asked for every frame: what stays the same is left alone.
 * @param {string} id
 * @param {string} text
 */
function put(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}
