// Small labels that go along with the newest strokes and say whose they are: one sees that someone paints right now.

import { el, nameTag } from '../shared/dom.js';
import { sigil } from '../people/avatar.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {{id: string, node: HTMLElement, x: number, y: number, since: number, moved: number, seen: number, box: DOMRect}} Tag */

const MOST = 3;
const MOST_ON_PHONES = 2;
const PHONE_CSS_PX = 480;
// A label waits for its painter so long, and gives way to others after so long.
const IDLE_MS = 2400;
const TURN_MS = 9000;
const STEP_MS = 450;
const APART_CSS_PX = 6;
const FADE_MS = 500;

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class NameTags {
  /** @type {Tag[]} */ #tags = [];
  /** @type {Map<string, number>} when the last turn of an agent ended */ #rested = new Map();
  #sweep = 0;

  /**
   * @param {HTMLElement} glass
   * @param {Camera} camera
   * @param {import('../people/agent-names.js').Names} names
   */
  constructor(glass, camera, names) {
    this.glass = glass;
    this.camera = camera;
    this.names = names;
  }

  /** @param {PixelRow[]} rows */
  saw(rows) {
    if (still.matches || document.hidden) return;
    const now = performance.now();
    /** @type {Map<string, PixelRow>} */ const newest = new Map();
    // Of a crowd in one frame, the last few are enough to choose from.
    for (const row of rows.slice(-60)) newest.set(row[4], row);
    for (const tag of this.#tags) {
      const row = newest.get(tag.id);
      if (row) this.#follow(tag, row, now);
    }
    for (const row of newest.values()) this.#take(row, now);
    this.#sweep ||= setTimeout(() => this.#tidy(), STEP_MS);
  }

  /** The view moved: labels keep to their pixels. */
  replace() {
    for (const tag of this.#tags) {
      const at = this.#place(tag.x, tag.y, tag.box.width, tag.box.height);
      if (!at) this.#drop(tag);
      else {
        tag.box = at;
        tag.node.style.transition = 'none';
        this.#put(tag);
      }
    }
  }

  clear() {
    for (const tag of [...this.#tags]) this.#drop(tag);
  }

  /**
   * @param {Tag} tag
   * @param {PixelRow} row
   * @param {number} now
   */
  #follow(tag, [, x, y], now) {
    tag.seen = now;
    if (now - tag.moved < STEP_MS) return;
    const box = this.#place(x, y, tag.box.width, tag.box.height);
    if (!box || this.#crowded(box, tag)) return;
    Object.assign(tag, { x, y, box, moved: now });
    tag.node.style.transition = '';
    this.#put(tag);
  }

  /**
   * @param {PixelRow} row
   * @param {number} now
   */
  #take([, x, y, , id], now) {
    // The camera knows the glass's size: asking the glass would lay the page out for every stroke.
    const most = this.camera.viewWidth / this.camera.dpr < PHONE_CSS_PX ? MOST_ON_PHONES : MOST;
    if (this.#tags.length >= most || this.#tags.some((tag) => tag.id === id)) return;
    if (now - (this.#rested.get(id) ?? -Infinity) < TURN_MS / 2 || !this.#place(x, y, 0, 0)) return;
    const name = this.names.of(id);
    if (!name) return;
    const node = el('span', { class: 'name-tag', 'aria-hidden': 'true' }, sigil(id), nameTag(name));
    this.glass.append(node);
    const box = this.#place(x, y, node.offsetWidth, node.offsetHeight);
    const tag = { id, node, x, y, since: now, moved: now, seen: now, box: box ?? new DOMRect() };
    if (!box || this.#crowded(box, tag)) return node.remove();
    this.#tags.push(tag);
    this.#put(tag);
  }

  /**
   * Where a label for a cell goes, in CSS pixels of the glass: above it, so that it hides nothing of what comes next.
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @returns {DOMRect | null} null out of sight
   */
  #place(x, y, width, height) {
    const { camera } = this;
    const { cssCell: cell, dpr } = camera;
    const [left, top] = [camera.originX / dpr + x * cell, camera.originY / dpr + y * cell];
    const [across, down] = [camera.viewWidth / dpr, camera.viewHeight / dpr];
    if (left + cell < 0 || top + cell < 0 || left > across || top > down) return null;
    const over = top - APART_CSS_PX - height;
    const at = over >= 2 ? over : top + cell + APART_CSS_PX;
    return new DOMRect(Math.min(Math.max(2, left + cell / 2), across - width - 2), Math.min(at, down - height - 2), width, height);
  }

  /**
   * @param {DOMRect} box
   * @param {Tag} self
   */
  #crowded(box, self) {
    return this.#tags.some((tag) => tag !== self
      && box.left < tag.box.right + 8 && tag.box.left < box.right + 8 && box.top < tag.box.bottom + 6 && tag.box.top < box.bottom + 6);
  }

  /** @param {Tag} tag */
  #put({ node, box }) {
    node.style.transform = `translate(${Math.round(box.left)}px, ${Math.round(box.top)}px)`;
  }

  /** @param {Tag} tag */
  #drop(tag) {
    this.#tags.splice(this.#tags.indexOf(tag), 1);
    this.#rested.set(tag.id, performance.now());
    tag.node.toggleAttribute('data-gone', true);
    setTimeout(() => tag.node.remove(), FADE_MS);
  }

  #tidy() {
    const now = performance.now();
    for (const tag of [...this.#tags]) {
      if (now - tag.seen > IDLE_MS || now - tag.since > TURN_MS) this.#drop(tag);
    }
    for (const [id, at] of this.#rested) if (now - at > TURN_MS) this.#rested.delete(id);
    this.#sweep = this.#tags.length ? setTimeout(() => this.#tidy(), STEP_MS) : 0;
  }
}
