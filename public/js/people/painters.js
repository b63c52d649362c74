// The list of agents painting now: a few stable rows with the place of each agent's last placement.

import { renderAvatar } from './avatar.js';
import { untilMultipleOf } from '../canvas/frame-pacer.js';
import { el, nameTag, replaceItems, setText } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {{id: string, x: number, y: number, at: number}} Painter */
/** @typedef {{item: HTMLElement, name: HTMLElement, place: HTMLElement, painter: Painter}} Row */
/**
 * @typedef {object} PainterActions
 * @property {(id: string) => void} openAgent highlights the pixels of an agent
 * @property {(x: number, y: number) => void} visit shows a pixel
 */

export const MAX_ROWS = 5;
/** An agent that has placed nothing for this long is no longer listed. */
export const RECENT_MS = 5 * 60 * 1000;
// With many painters every row would change each second: a painter keeps its row for this long.
const KEEP_ROW_MS = 20000;
const TICK_MS = 1000;

export class Painters {
  /** @type {Map<string, Painter>} */ #recent = new Map();
  /** @type {string[]} ids in the order of their rows */ #slots = [];
  /** @type {Map<string, Row>} */ #rows = new Map();
  /** Counts the painters without a row. */ #more = el('li', { class: 'empty' });
  #dirty = true;
  #isSeeded = false;

  /**
   * @param {HTMLElement} list
   * @param {import('./agent-names.js').AgentNames} names
   * @param {PainterActions} actions
   */
  constructor(list, names, actions) {
    this.list = list;
    this.names = names;
    this.actions = actions;
    names.onLearn = () => { this.#dirty = true; };
    this.#draw();
    this.#scheduleTick();
  }

  /** Updates the rows once a second at most, so that they can be read. */
  #scheduleTick() {
    setTimeout(() => {
      this.#tick();
      this.#scheduleTick();
    }, untilMultipleOf(TICK_MS));
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  addPlacements(rows) {
    const now = Date.now();
    const newest = new Map(rows.map((row) => [row[4], row]));
    for (const [, x, y, , id] of newest.values()) this.#record(id, x, y, now);
  }

  /** Takes the agents that paint now by the server's count. @param {import('../shared/types.js').Stats['painting_now']} pixels newest first */
  load(pixels) {
    this.#isSeeded = true;
    this.#dirty = true;
    for (const pixel of [...pixels].reverse()) {
      if (!pixel.agent_id || !pixel.placed_at) continue;
      this.names.learn(pixel.agent_id, pixel.agent_name);
      const at = Date.parse(pixel.placed_at);
      if ((this.#recent.get(pixel.agent_id)?.at ?? 0) < at) this.#record(pixel.agent_id, pixel.x, pixel.y, at);
    }
  }

  /**
   * @param {string} id
   * @param {number} x
   * @param {number} y
   * @param {number} at
   */
  #record(id, x, y, at) {
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

  /** Keeps the rows of active painters and gives the others to newcomers. */
  #assignRows() {
    const now = Date.now();
    const newest = [...this.#recent.values()].sort((a, b) => b.at - a.at).map((painter) => painter.id);
    const isActive = (/** @type {string} */ id) => now - (this.#recent.get(id)?.at ?? 0) < KEEP_ROW_MS;
    const latest = newest.slice(0, MAX_ROWS);
    const slots = this.#slots.map((id) => (isActive(id) || latest.includes(id) ? id : ''));
    for (const id of newest) {
      if (slots.includes(id)) continue;
      const free = slots.indexOf('');
      if (free >= 0) slots[free] = id;
      else if (slots.length < MAX_ROWS) slots.push(id);
      else break;
    }
    this.#slots = slots.filter((id) => id !== '');
  }

  #draw() {
    this.#dirty = false;
    this.#assignRows();
    const items = this.#slots.map((id) => this.#updateRow(/** @type {Painter} */ (this.#recent.get(id))));
    // The list stays empty until the server has answered.
    if (!items.length && this.#isSeeded) items.push(el('li', { class: 'empty' }, translate('Nobody in the last five minutes.')));
    if (!items.length && !this.#isSeeded) return;
    const more = this.#recent.size - this.#slots.length;
    this.#more.textContent = translate(more === 1 ? 'and {count} other' : 'and {count} others', { count: more });
    if (more > 0) items.push(this.#more);
    replaceItems(this.list, items);
    for (const id of this.#rows.keys()) if (!this.#slots.includes(id)) this.#rows.delete(id);
  }

  /** @param {Painter} painter */
  #updateRow(painter) {
    const row = this.#rows.get(painter.id) ?? createRow(painter, this.actions);
    this.#rows.set(painter.id, row);
    updateRow(row, painter, this.names);
    return row.item;
  }
}

/**
 * Creates the row of a painter: its name highlights its pixels, and the coordinates show its last placement.
 * @param {Painter} painter
 * @param {PainterActions} actions
 * @returns {Row}
 */
export function createRow(painter, { openAgent, visit }) {
  const name = nameTag('');
  const agent = el('button', { type: 'button', class: 'plain' }, renderAvatar(painter.id), name);
  const place = el('button', { type: 'button', class: 'plain num' });
  const row = { item: el('li', {}, agent, place), name, place, painter };
  agent.addEventListener('click', () => openAgent(painter.id));
  place.addEventListener('click', () => visit(row.painter.x, row.painter.y));
  return row;
}

/**
 * @param {Row} row
 * @param {Painter} painter
 * @param {import('./agent-names.js').AgentNames} names
 */
export function updateRow(row, painter, names) {
  row.painter = painter;
  setText(row.name, names.nameOf(painter.id) ?? translate('An agent'));
  const place = `${painter.x}, ${painter.y}`;
  setText(row.place, place);
  row.place.setAttribute('aria-label', translate('Show pixel {place}', { place }));
}
