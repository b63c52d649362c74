// The museum label: title, medium, and the numbers of this season.

import { byId } from './dom.js';
import { seasonOf } from './season.js';
import { count } from './time.js';

export class Placard {
  #pixels = 0;
  #head = 0;
  #season = '';
  #title = '';

  /** @param {import('./types.js').CanvasBody} body */
  showCanvas(body) {
    this.showSeason(body.season);
    byId('medium').textContent = `${capital(numberWord(body.palette.length))} colours,\n${count(body.width)} × ${count(body.height)} pixels`;
  }

  /** @param {import('./types.js').SeasonLike} season */
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
  }

  /** @param {import('./types.js').Stats} stats */
  showStats(stats) {
    const { id, title } = seasonOf(stats.season);
    this.showSeason({ id, title: stats.season_title || title || 'The open canvas' });
    byId('fact-agents').textContent = count(stats.agents);
    byId('fact-active').textContent = count(stats.painters_last_hour);
    // The stream may be ahead of these numbers: a count of strokes never goes back.
    this.#pixels = Math.max(this.#pixels, stats.pixels);
    this.#head = stats.head;
    this.#writePixels();
  }

  /** @param {import('./types.js').PixelRow[]} rows */
  saw(rows) {
    const fresh = rows.filter(([seq]) => seq > this.#head).length;
    if (!fresh || !this.#head) return;
    this.#pixels += fresh;
    this.#writePixels();
  }

  #writePixels() {
    byId('fact-pixels').textContent = count(this.#pixels);
  }

  /** @param {number} spectators */
  watching(spectators) {
    byId('fact-watching').textContent = count(spectators);
  }

  /** Numbers that nobody updates are not shown as now. */
  dim() {
    byId('fact-watching').textContent = '–';
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
