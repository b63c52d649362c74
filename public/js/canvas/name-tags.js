// Small labels that follow the newest placements and name their agents.

import { isNear, placeLabel } from './label-box.js';
import { renderAvatar } from '../people/avatar.js';
import { el, nameTag } from '../shared/dom.js';

/** @typedef {import('./canvas-renderer.js').CanvasRenderer} CanvasRenderer */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/**
 * @typedef {object} Tag
 * @property {string} id
 * @property {HTMLElement} node
 * @property {number} x
 * @property {number} y
 * @property {number} since when it appeared
 * @property {number} moved when it last left for another place
 * @property {number} seen when its agent last placed a pixel
 * @property {number} gone when it began to fade; Infinity before
 * @property {DOMRect} from where it comes from
 * @property {DOMRect} box where it is, or goes
 */

const MAX_TAGS = 3;
const MAX_TAGS_ON_PHONES = 2;
const PHONE_CSS_PX = 480;
// A label without new placements is removed after IDLE_MS, any label after MAX_SHOWN_MS.
const IDLE_MS = 2400;
const MAX_SHOWN_MS = 9000;
const STEP_MS = 450;
const MOVE_MS = 400;
const FADE_MS = 400;

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class NameTags {
  /** @type {Tag[]} */ #tags = [];
  /** @type {Tag[]} */ #leaving = [];
  #isActive = false;
  /** @type {Map<string, number>} when an agent's label was last removed */ #lastShown = new Map();
  #cleanupTimer = 0;
  /** The captions of messages, for which labels make room. @type {import('./message-captions.js').MessageCaptions | null} */ captions = null;

  /**
   * @param {HTMLElement} layers
   * @param {CanvasRenderer} renderer
   * @param {import('../people/agent-names.js').AgentNames} names
   */
  constructor(layers, renderer, names) {
    this.layers = layers;
    this.renderer = renderer;
    this.camera = renderer.camera;
    this.names = names;
    renderer.animated.push(this);
  }

  /** Whether a label moves or fades. */
  get isActive() {
    return this.#isActive;
  }

  /** Starts to draw with the renderer's frames. An animation of the style sheet would draw sixty frames per second. */
  #activate() {
    this.#isActive = true;
    this.renderer.requestPacedFrame();
  }

  /** Draws the labels that move or fade. @param {number} now */
  draw(now) {
    for (const tag of [...this.#tags, ...this.#leaving]) drawTag(tag, now);
    for (const tag of this.#leaving) if (now - tag.gone >= FADE_MS) tag.node.remove();
    this.#leaving = this.#leaving.filter((tag) => now - tag.gone < FADE_MS);
    this.#isActive = this.#leaving.length > 0 || this.#tags.some((tag) => now - Math.max(tag.moved, tag.since) < Math.max(MOVE_MS, FADE_MS));
  }

  /** @param {PixelRow[]} rows */
  addPlacements(rows) {
    if (reducedMotion.matches || document.hidden) return;
    const now = performance.now();
    /** @type {Map<string, PixelRow>} */ const newest = new Map();
    // Of many placements in one frame, the last ones are enough.
    for (const row of rows.slice(-60)) newest.set(row[4], row);
    for (const tag of this.#tags) {
      const row = newest.get(tag.id);
      if (row) this.#moveTag(tag, row, now);
    }
    for (const row of newest.values()) this.#addTag(row, now);
    this.#cleanupTimer ||= setTimeout(() => this.#removeExpired(), STEP_MS);
  }

  /** Repositions the labels after a camera move. */
  reposition() {
    for (const tag of this.#tags) {
      const at = this.#computeBox(tag.x, tag.y, tag.box.width, tag.box.height);
      if (!at) this.#removeTag(tag);
      else {
        tag.from = tag.box = at;
        drawTag(tag, performance.now());
      }
    }
  }

  clear() {
    for (const tag of [...this.#tags]) this.#removeTag(tag);
  }

  /** Removes the labels that are in the way of captions. */
  makeRoom() {
    for (const tag of [...this.#tags]) if (this.captions?.isInWayOf(tag.id, tag.box)) this.#removeTag(tag);
  }

  /**
   * Moves an agent's label to its newest placement.
   * @param {Tag} tag
   * @param {PixelRow} row
   * @param {number} now
   */
  #moveTag(tag, [, x, y], now) {
    tag.seen = now;
    if (now - tag.moved < STEP_MS) return;
    const box = this.#computeBox(x, y, tag.box.width, tag.box.height);
    if (!box || this.#overlapsOther(box, tag.id)) return;
    Object.assign(tag, { x, y, from: tag.box, box, moved: now });
    this.#activate();
  }

  /**
   * Adds a label for an agent if there is room.
   * @param {PixelRow} row
   * @param {number} now
   */
  #addTag([, x, y, , id], now) {
    // The camera knows the size: measuring the element would force a layout for every placement.
    const maxTags = this.camera.viewWidth / this.camera.dpr < PHONE_CSS_PX ? MAX_TAGS_ON_PHONES : MAX_TAGS;
    if (this.#tags.length >= maxTags || this.#tags.some((tag) => tag.id === id)) return;
    if (now - (this.#lastShown.get(id) ?? -Infinity) < MAX_SHOWN_MS / 2 || !this.#computeBox(x, y, 0, 0)) return;
    const name = this.names.nameOf(id);
    if (!name) return;
    const node = el('span', { class: 'name-tag', 'aria-hidden': 'true' }, renderAvatar(id), nameTag(name));
    this.layers.append(node);
    const box = this.#computeBox(x, y, node.offsetWidth, node.offsetHeight);
    if (!box || this.#overlapsOther(box, id)) return node.remove();
    const tag = { id, node, x, y, since: now, moved: now, seen: now, gone: Infinity, from: box, box };
    this.#tags.push(tag);
    drawTag(tag, now);
    this.#activate();
  }

  /**
   * Returns the box of a label beside its cell.
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  #computeBox(x, y, width, height) {
    return placeLabel(this.camera, { x1: x, y1: y, x2: x, y2: y }, width, height);
  }

  /**
   * @param {DOMRect} box
   * @param {string} id
   */
  #overlapsOther(box, id) {
    return Boolean(this.captions?.isInWayOf(id, box)) || this.#tags.some((tag) => tag.id !== id && isNear(tag.box, box));
  }

  /** @param {Tag} tag */
  #removeTag(tag) {
    this.#tags.splice(this.#tags.indexOf(tag), 1);
    tag.gone = performance.now();
    this.#lastShown.set(tag.id, tag.gone);
    this.#leaving.push(tag);
    this.#activate();
  }

  #removeExpired() {
    const now = performance.now();
    for (const tag of [...this.#tags]) {
      if (now - tag.seen > IDLE_MS || now - tag.since > MAX_SHOWN_MS) this.#removeTag(tag);
    }
    for (const [id, at] of this.#lastShown) if (now - at > MAX_SHOWN_MS) this.#lastShown.delete(id);
    this.#cleanupTimer = this.#tags.length ? setTimeout(() => this.#removeExpired(), STEP_MS) : 0;
  }
}

/**
 * Draws a label between its places, and as opaque as it is at that moment.
 * @param {Tag} tag
 * @param {number} now
 */
function drawTag({ node, since, moved, gone, from, box }, now) {
  const done = 1 - (1 - share(now - moved, MOVE_MS)) ** 3;
  const [left, top] = [from.left + (box.left - from.left) * done, from.top + (box.top - from.top) * done];
  node.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  node.style.opacity = String(Math.min(share(now - since, FADE_MS), 1 - share(now - gone, FADE_MS)));
}

/**
 * Returns the share of a duration that has passed, from 0 to 1.
 * @param {number} passed
 * @param {number} duration
 */
function share(passed, duration) {
  return Math.min(1, Math.max(0, passed / duration));
}
