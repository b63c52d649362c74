// The card about one pixel: who painted it, when, under which plan, and who was there before.

import { getPixel } from './api.js';
import { el, nameTag, swatch } from './dom.js';
import { icon } from './icons.js';
import { sigil } from './sigil.js';
import { agoTag } from './time.js';

/** @typedef {import('./types.js').Stroke} Stroke */
/** @typedef {import('./types.js').Message} Message */

const AGAIN_MS = 700;
const BEFORE = 20;

export class Inspect {
  /** @type {{x: number, y: number} | null} */ #spot = null;
  #again = 0;
  /** @type {Element | null} */ #cameFrom = null;

  /**
   * @param {HTMLElement} card
   * @param {import('./canvas-state.js').CanvasState} state
   * @param {{planAt: (x: number, y: number) => Message | null, choose: (spot: {x: number, y: number} | null) => void, say: (text: string) => void}} room
   */
  constructor(card, state, room) {
    this.card = card;
    this.state = state;
    this.room = room;
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.#spot && !event.defaultPrevented) this.close();
    });
  }

  /** @param {{x: number, y: number}} spot */
  async open(spot) {
    this.#cameFrom = document.activeElement;
    this.#spot = spot;
    // The card never lies on what it speaks about.
    this.card.dataset.side = spot.x >= this.state.width / 2 ? 'left' : 'right';
    this.room.choose(spot);
    if (this.card.hidden) this.#fill(el('p', { class: 'when' }, 'Looking it up.'));
    this.card.hidden = false;
    await this.#look(true);
  }

  close() {
    const inside = this.card.contains(document.activeElement);
    this.#spot = null;
    this.card.hidden = true;
    this.room.choose(null);
    if (inside && this.#cameFrom instanceof HTMLElement) this.#cameFrom.focus();
  }

  /** @param {import('./types.js').PixelRow[]} rows */
  saw(rows) {
    const spot = this.#spot;
    if (!spot || !rows.some(([, x, y]) => x === spot.x && y === spot.y)) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#look(false), AGAIN_MS);
  }

  /** @param {boolean} aloud */
  async #look(aloud) {
    const spot = this.#spot;
    if (!spot) return;
    const pixel = await getPixel(spot.x, spot.y).catch(() => null);
    if (spot !== this.#spot) return;
    if (!pixel) return this.#fill(el('p', { class: 'when' }, 'This pixel cannot be looked up just now.'));
    this.#fill(...this.#about(pixel));
    if (aloud) this.room.say(pixel.agent_name ? `Painted by ${pixel.agent_name}, ${agoTag(pixel.placed_at).textContent}` : 'Nobody has painted here yet.');
  }

  /** @param {...Node} parts */
  #fill(...parts) {
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close' }, icon('close'));
    close.addEventListener('click', () => this.close());
    const focused = this.card.contains(document.activeElement);
    const { x, y } = this.#spot ?? { x: 0, y: 0 };
    this.card.replaceChildren(el('header', {}, el('h2', { id: 'inspect-title' }, `x ${x}  y ${y}`), close), ...parts);
    if (focused) close.focus();
  }

  /**
   * @param {import('./types.js').Pixel} pixel
   * @returns {Node[]}
   */
  #about(pixel) {
    if (!pixel.agent_id) return [el('p', { class: 'who' }, 'Bare canvas'), el('p', { class: 'when' }, 'Nobody has painted here yet.'), ...this.#plan(pixel)];
    const color = this.state.palette[pixel.color]?.name ?? '';
    return [
      el('p', { class: 'who' }, sigil(pixel.agent_id), nameTag(pixel.agent_name ?? '')),
      el('p', { class: 'when' }, `Painted ${color} `, agoTag(pixel.placed_at)),
      ...this.#plan(pixel),
      ...this.#before(pixel),
    ];
  }

  /** @param {{x: number, y: number}} pixel */
  #plan({ x, y }) {
    const plan = this.room.planAt(x, y);
    if (!plan) return [];
    return [el('p', { class: 'plan foreign', dir: 'auto' }, 'Plan of ', nameTag(plan.agent_name), ': ', el('bdi', {}, plan.content))];
  }

  /** @param {import('./types.js').Pixel} pixel */
  #before(pixel) {
    const older = (pixel.history ?? []).filter((stroke) => stroke.seq !== pixel.seq).slice(0, BEFORE);
    if (!older.length) return [];
    return [el('div', { class: 'before' }, el('h3', { class: 'label' }, 'Before'), el('ol', {}, ...older.map((stroke) => this.#stroke(stroke))))];
  }

  /** @param {Stroke} stroke */
  #stroke(stroke) {
    return el('li', {}, swatch(this.state.palette[stroke.color]?.hex ?? '#000'), nameTag(stroke.agent_name ?? 'An agent'), agoTag(stroke.placed_at));
  }
}
