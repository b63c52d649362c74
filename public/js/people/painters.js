// Who is painting now: a few steady rows, each with the place of that agent's last stroke.

import { el, nameTag } from '../shared/dom.js';
import { sigil } from './avatar.js';

/** @typedef {{id: string, x: number, y: number, at: number}} Painter */
/** @typedef {{item: HTMLElement, name: HTMLElement, place: HTMLElement, painter: Painter}} Row */

const ROWS = 5;
const RECENT_MS = 5 * 60 * 1000;
// In a crowd every row would change hands twice a second; so long a painter keeps it.
const BUSY_MS = 20000;
const TICK_MS = 500;

export class Painters {
  /** @type {Map<string, Painter>} */ #recent = new Map();
  /** @type {string[]} ids in the order of their rows */ #slots = [];
  /** @type {Map<string, Row>} */ #rows = new Map();
  #dirty = true;
  #heard = false;

  /**
   * @param {HTMLElement} list
   * @param {import('./agent-names.js').Names} names
   * @param {(x: number, y: number) => void} visit
   */
  constructor(list, names, visit) {
    this.list = list;
    this.names = names;
    this.visit = visit;
    names.onLearn = () => { this.#dirty = true; };
    // Rows are written twice a second at most: a list that flickers cannot be read.
    setInterval(() => this.#tick(), TICK_MS);
    this.#draw();
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  saw(rows) {
    const now = Date.now();
    const newest = new Map(rows.map((row) => [row[4], row]));
    for (const [, x, y, , id] of newest.values()) this.#note(id, x, y, now);
  }

  /** @param {import('../shared/types.js').Pixel[]} pixels newest first */
  seed(pixels) {
    this.#heard = true;
    this.#dirty = true;
    for (const pixel of [...pixels].reverse()) {
      if (!pixel.agent_id || !pixel.placed_at) continue;
      this.names.learn(pixel.agent_id, pixel.agent_name);
      const at = Date.parse(pixel.placed_at);
      if ((this.#recent.get(pixel.agent_id)?.at ?? 0) < at) this.#note(pixel.agent_id, pixel.x, pixel.y, at);
    }
  }

  /**
   * @param {string} id
   * @param {number} x
   * @param {number} y
   * @param {number} at
   */
  #note(id, x, y, at) {
    this.#recent.set(id, { id, x, y, at });
    this.#dirty = true;
  }

  #tick() {
    const oldest = Date.now() - RECENT_MS;
    for (const [id, painter] of this.#recent) {
      if (painter.at >= oldest) continue;
      this.#recent.delete(id);
      this.#dirty = true;
    }
    if (this.#dirty && !document.hidden) this.#draw();
  }

  /** Whoever has a row keeps it while painting; newcomers take the rows of the idle. */
  #assign() {
    const now = Date.now();
    const newest = [...this.#recent.values()].sort((a, b) => b.at - a.at).map((painter) => painter.id);
    const busy = (/** @type {string} */ id) => now - (this.#recent.get(id)?.at ?? 0) < BUSY_MS;
    const leading = newest.slice(0, ROWS);
    const slots = this.#slots.map((id) => (busy(id) || leading.includes(id) ? id : ''));
    for (const id of newest) {
      if (slots.includes(id)) continue;
      const free = slots.indexOf('');
      if (free >= 0) slots[free] = id;
      else if (slots.length < ROWS) slots.push(id);
      else break;
    }
    this.#slots = slots.filter((id) => id !== '');
  }

  #draw() {
    this.#dirty = false;
    this.#assign();
    const items = this.#slots.map((id) => this.#write(/** @type {Painter} */ (this.#recent.get(id))));
    // Before the server has said anything, an empty list says nothing either.
    if (!items.length && this.#heard) items.push(el('li', { class: 'none' }, 'Nobody in the last five minutes.'));
    for (const item of [...this.list.children]) if (!items.includes(/** @type {HTMLElement} */ (item))) item.remove();
    // A row that stays is left where it is: a press on it would get lost with it.
    items.forEach((item, place) => { if (this.list.children[place] !== item) this.list.insertBefore(item, this.list.children[place]); });
    for (const id of this.#rows.keys()) if (!this.#slots.includes(id)) this.#rows.delete(id);
  }

  /** @param {Painter} painter */
  #write(painter) {
    const row = this.#rows.get(painter.id) ?? this.#row(painter);
    row.painter = painter;
    row.name.textContent = this.names.of(painter.id) ?? 'An agent';
    row.place.textContent = `${painter.x}, ${painter.y}`;
    return row.item;
  }

  /** @param {Painter} painter */
  #row(painter) {
    const [name, place] = [nameTag(''), el('span', { class: 'num' })];
    const button = el('button', { type: 'button', class: 'plain' }, sigil(painter.id), name, place);
    const row = { item: el('li', {}, button), name, place, painter };
    button.addEventListener('click', () => this.visit(row.painter.x, row.painter.y));
    this.#rows.set(painter.id, row);
    return row;
  }
}
