// The list of the agents that painted in the minutes before the shown past moment, in place of those of now.

import { MAX_ROWS, RECENT_MS, createRow, updateRow } from './painters.js';
import { getHistory } from '../shared/api.js';
import { byId, el, replaceItems } from '../shared/dom.js';
import { translate } from '../shared/translate.js';
import { LatestRequest } from '../time/latest-request.js';

/** @typedef {import('./painters.js').Painter} Painter */
/** @typedef {import('../shared/types.js').PastRow} PastRow */

// So many events before the moment are searched for painters.
const MAX_EVENTS = 2000;
const REQUEST_INTERVAL_MS = 600;
// The list changes at most this often, so that it can be read during playback.
const DRAW_INTERVAL_MS = 500;
const NAMES_INTERVAL_MS = 1500;

export class PastPainters {
  /** @type {Map<string, Painter>} */ #recent = new Map();
  /** Placements after the moment whose painters are being loaded. @type {PastRow[]} */ #pending = [];
  #isLoading = false;
  #time = 0;
  #timer = 0;
  /** @type {Map<string, import('./painters.js').Row>} */ #rows = new Map();
  /** The ids of the painters in the order of their rows. @type {string[]} */ #order = [];
  #present = byId('painters');
  /** In the page only while a past moment is shown. */ #list = el('ol', {});

  /** @param {import('./painters.js').PainterActions & {names: import('./agent-names.js').AgentNames}} actions */
  constructor(actions) {
    this.names = actions.names;
    this.actions = actions;
    this.requests = new LatestRequest(
      (/** @type {{first: number, seq: number}} */ { first, seq }, signal) => getHistory(Math.max(first, seq - MAX_EVENTS + 1), MAX_EVENTS, { to: seq, signal }),
      (page) => this.#replace(page.pixels), () => this.#handleFailure(), REQUEST_INTERVAL_MS);
  }

  /**
   * Loads the painters before a moment; the list stays until they arrive.
   * @param {number} first the first sequence number of the season
   * @param {number} seq
   * @param {number} time milliseconds
   */
  load(first, seq, time) {
    this.#isLoading = true;
    this.#pending = [];
    this.#time = time;
    this.#show(true);
    if (seq < first) this.#replace([]);
    else this.requests.request({ first, seq });
  }

  /**
   * Adds placements that were played.
   * @param {PastRow[]} rows
   * @param {number} time the shown moment
   */
  addPlacements(rows, time) {
    this.#time = time;
    if (this.#isLoading) this.#pending.push(...rows.slice(-MAX_EVENTS));
    else this.#record(rows);
    this.#scheduleDraw(DRAW_INTERVAL_MS);
  }

  /** Shows the painters of now again. */
  clear() {
    this.requests.cancel();
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#isLoading = false;
    this.#recent.clear();
    this.#pending = [];
    this.#rows.clear();
    this.#order = [];
    this.#list.replaceChildren();
    this.#show(false);
  }

  /** @param {boolean} isPast */
  #show(isPast) {
    if (!isPast) this.#list.remove();
    else if (!this.#list.isConnected) this.#present.after(this.#list);
    this.#present.hidden = isPast;
  }

  /** @param {PastRow[]} rows the placements before the moment that was loaded */
  #replace(rows) {
    this.#isLoading = false;
    this.#recent.clear();
    this.#record([...rows, ...this.#pending]);
    this.#pending = [];
    this.#draw();
  }

  #handleFailure() {
    this.#isLoading = false;
    this.#list.replaceChildren(el('li', { class: 'empty' }, translate('The painters of then did not load.')));
  }

  /** @param {PastRow[]} rows */
  #record(rows) {
    for (const [, x, y, , id, at] of rows) this.#recent.set(id, { id, x, y, at });
  }

  /** @param {number} delay milliseconds */
  #scheduleDraw(delay) {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      if (!this.#isLoading) this.#draw();
    }, delay);
  }

  #draw() {
    for (const [id, { at }] of this.#recent) if (at < this.#time - RECENT_MS) this.#recent.delete(id);
    const newest = [...this.#recent.values()].sort((a, b) => b.at - a.at).slice(0, MAX_ROWS);
    const painters = this.#keepPlaces(newest);
    const items = painters.map((painter) => {
      const row = this.#rows.get(painter.id) ?? createRow(painter, this.actions);
      this.#rows.set(painter.id, row);
      updateRow(row, painter, this.names);
      return row.item;
    });
    if (!items.length) items.push(el('li', { class: 'empty' }, translate('Nobody in the five minutes before.')));
    replaceItems(this.#list, items);
    // Names that are requested meanwhile appear at the next draw.
    if (painters.some(({ id }) => this.names.nameOf(id) === undefined)) this.#scheduleDraw(NAMES_INTERVAL_MS);
  }

  /** Returns the painters in the order of their rows; those that stay keep their row. @param {Painter[]} newest */
  #keepPlaces(newest) {
    const added = newest.filter(({ id }) => !this.#order.includes(id)).map(({ id }) => id);
    const isKept = (/** @type {string} */ id) => newest.some((painter) => painter.id === id);
    this.#order = [...this.#order.flatMap((id) => (isKept(id) ? id : added.splice(0, 1))), ...added];
    return this.#order.map((id) => /** @type {Painter} */ (this.#recent.get(id)));
  }
}
