// Captions over the canvas: a new message stands for some seconds beside the stroke or the regions that it speaks of.

import { isNear, placeLabel } from './label-box.js';
import { visibleText } from '../chat/folding.js';
import { findRegions } from '../chat/intent-map.js';
import { renderAvatar, renderPersonAvatar } from '../people/avatar.js';
import { el, nameTag } from '../shared/dom.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{message: Message, node: HTMLElement, region: Region, box: DOMRect, since: number, gone: number}} Caption  `gone` is when it began to fade; Infinity before */

/**
 * @typedef {object} CaptionContext
 * @property {import('./agent-places.js').AgentPlaces} places
 * @property {import('./name-tags.js').NameTags} nameTags
 * @property {(id: string) => Message | undefined} findMessage
 */

const SHOWN_MS = 6000;
// A caption is not replaced earlier: where messages come faster, as in playback, only some of them are shown.
const LEAST_SHOWN_MS = 1500;
const FADE_MS = 400;
const STEP_MS = 250;
const MAX_LENGTH = 90;
// Smaller canvases leave no room for captions; on phones the newest message runs under the canvas.
const MIN_CANVAS_CSS_PX = 480;
const TWO_CAPTIONS_CSS_PX = 640;

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class MessageCaptions {
  /** Oldest first. @type {Caption[]} */ #captions = [];
  /** @type {Caption[]} */ #leaving = [];
  /** The newest message that waits for room. @type {Message | null} */ #waiting = null;
  #timer = 0;
  /** Whether a caption fades. */ isActive = false;

  /**
   * @param {HTMLElement} layers
   * @param {import('./canvas-renderer.js').CanvasRenderer} renderer
   * @param {CaptionContext} context
   */
  constructor(layers, renderer, context) {
    this.layers = layers;
    this.renderer = renderer;
    this.camera = renderer.camera;
    this.context = context;
    context.nameTags.captions = this;
    renderer.animated.push(this);
  }

  /**
   * Applies an event of the chat that is shown.
   * @param {string} kind
   * @param {any} data
   */
  handleEvent(kind, data) {
    if (kind === 'chat') return this.#show(data);
    const caption = this.#captions.find(({ message }) => message.id === data.message_id);
    // The new text is in the chat; the old text must not stay here.
    if (caption && ['hidden', 'folded', 'edited'].includes(kind)) this.#remove(caption);
    if (this.#waiting?.id === data.message_id) this.#waiting = null;
  }

  /** Moves the captions with the camera. */
  reposition() {
    for (const caption of [...this.#captions]) {
      const box = placeLabel(this.camera, caption.region, caption.box.width, caption.box.height);
      if (box) setPlace(caption, box);
      else this.#remove(caption);
    }
  }

  /** Removes all captions, because another moment is shown. */
  clear() {
    this.#waiting = null;
    for (const caption of [...this.#captions]) this.#remove(caption);
  }

  /** Draws the captions that fade. @param {number} now */
  draw(now) {
    for (const { node, since, gone } of [...this.#captions, ...this.#leaving]) node.style.opacity = String(fade(now, since, gone));
    this.#leaving.filter(({ gone }) => now - gone >= FADE_MS).forEach(({ node }) => node.remove());
    this.#leaving = this.#leaving.filter(({ gone }) => now - gone < FADE_MS);
    this.isActive = this.#leaving.length > 0 || this.#captions.some(({ since }) => now - since < FADE_MS);
  }

  /** Returns whether a label must make room for a caption: that of its speaker, or one at the same place. @param {string} id @param {DOMRect} box */
  isInWayOf(id, box) {
    return this.#captions.some((caption) => caption.message.agent_id === id || isNear(caption.box, box));
  }

  /** @param {Message} message */
  #show(message) {
    const width = this.camera.viewWidth / this.camera.dpr;
    const region = this.#findRegion(message);
    if (!message.content || message.folded || !region || width < MIN_CANVAS_CSS_PX || document.hidden || document.querySelector('dialog[open]')) return;
    const same = this.#captions.find((caption) => caption.message.agent_id === message.agent_id && caption.message.agent_name === message.agent_name);
    const replaced = same ?? (this.#captions.length < (width < TWO_CAPTIONS_CSS_PX ? 1 : 2) ? null : this.#captions[0]);
    this.#waiting = replaced && performance.now() - replaced.since < LEAST_SHOWN_MS ? message : null;
    this.#timer ||= setTimeout(() => this.#update(), STEP_MS);
    if (this.#waiting) return;
    if (replaced) this.#remove(replaced);
    this.#add(message, region);
  }

  /**
   * @param {Message} message
   * @param {Region} region
   */
  #add(message, region) {
    const node = renderCaption(message);
    this.layers.append(node);
    const box = placeLabel(this.camera, region, node.offsetWidth, node.offsetHeight);
    if (!box) return node.remove();
    for (const caption of this.#captions.filter((other) => isNear(other.box, box))) this.#remove(caption);
    const caption = { message, node, region, box, since: performance.now(), gone: Infinity };
    setPlace(caption, box);
    this.#captions.push(caption);
    this.context.nameTags.makeRoom();
    this.#fade(caption);
  }

  /** @param {Caption} caption */
  #remove(caption) {
    this.#captions.splice(this.#captions.indexOf(caption), 1);
    if (reducedMotion.matches) return caption.node.remove();
    caption.gone = performance.now();
    this.#leaving.push(caption);
    this.#fade(caption);
  }

  /** Starts to draw with the renderer's frames. @param {Caption} caption */
  #fade({ node }) {
    if (reducedMotion.matches) return;
    if (!this.#leaving.some((leaving) => leaving.node === node)) node.style.opacity = '0';
    this.isActive = true;
    this.renderer.requestPacedFrame();
  }

  /** Removes old captions and shows the message that waits. */
  #update() {
    this.#timer = 0;
    const now = performance.now();
    const isCovered = document.querySelector('dialog[open]') !== null;
    for (const caption of [...this.#captions]) if (isCovered || now - caption.since > SHOWN_MS) this.#remove(caption);
    const message = this.#waiting;
    if (message) this.#show(message);
    if (this.#captions.length) this.#timer ||= setTimeout(() => this.#update(), STEP_MS);
  }

  /**
   * Returns what a message speaks of: its regions in sight, else the newest pixel of its author or of the agent that it answers.
   * @param {Message} message
   * @returns {Region | undefined}
   */
  #findRegion(message) {
    const [region] = findRegions(message).filter((named) => placeLabel(this.camera, named, 0, 0));
    if (region) return region;
    const { places, findMessage } = this.context;
    const place = places.find(message.agent_id) ?? places.find(findMessage(message.reply_to ?? '')?.agent_id);
    return place && { x1: place.x, y1: place.y, x2: place.x, y2: place.y };
  }
}

/** @param {Message} message */
function renderCaption(message) {
  const caption = el('div', { class: 'caption', 'data-from': message.sender_type, 'aria-hidden': 'true' });
  if (message.sender_type !== 'system') {
    const isPerson = message.sender_type === 'human';
    const head = el('p', { class: 'caption-author' }, isPerson ? renderPersonAvatar() : renderAvatar(message.agent_id ?? ''), nameTag(message.agent_name));
    if (isPerson) head.append(el('span', { class: 'badge' }, message.badge || 'Gallery Pass'));
    caption.append(head);
  }
  caption.append(el('p', { class: 'caption-text foreign', dir: 'auto' }, shorten(visibleText(message))));
  return caption;
}

/** Cuts a long text at a word, with an ellipsis. @param {string} text */
function shorten(text) {
  const letters = [...text];
  if (letters.length <= MAX_LENGTH) return text;
  return `${letters.slice(0, MAX_LENGTH - 1).join('').replace(/\s+\S{0,20}$/u, '')}…`;
}

/**
 * @param {Caption} caption
 * @param {DOMRect} box
 */
function setPlace(caption, box) {
  caption.box = box;
  caption.node.style.transform = `translate(${Math.round(box.left)}px, ${Math.round(box.top)}px)`;
}

/**
 * Returns how opaque a caption is.
 * @param {number} now
 * @param {number} since
 * @param {number} gone
 */
function fade(now, since, gone) {
  return Math.max(0, Math.min(1, (now - since) / FADE_MS, 1 - (now - gone) / FADE_MS));
}
