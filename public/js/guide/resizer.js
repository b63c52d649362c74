// The edge of the guide that changes its width, by pointer or keyboard. The width is kept per browser.

import { readPreference, storePreference } from './preferences.js';
import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

const DEFAULT_PX = 336;
const MIN_PX = 288;
/** The largest part of the page that the guide takes; guide.css has the same. */
const MAX_PART = 0.33;
const STEP_PX = 24;

export class Resizer {
  node = el('div', { class: 'guide-resizer', role: 'separator', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label': translate('Width of the guide'), 'aria-controls': 'guide' });
  #wanted = Number(readPreference('width')) || DEFAULT_PX;

  /** @param {HTMLElement} layout the element whose grid has the guide's column */
  constructor(layout) {
    this.layout = layout;
    this.node.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      this.node.setPointerCapture(event.pointerId);
    });
    this.node.addEventListener('pointermove', (event) => {
      if (this.node.hasPointerCapture(event.pointerId)) this.#set(document.documentElement.clientWidth - event.clientX);
    });
    this.node.addEventListener('lostpointercapture', () => this.#store());
    this.node.addEventListener('keydown', (event) => this.#handleKey(event));
    window.addEventListener('resize', () => this.#set(this.#wanted));
    this.#set(this.#wanted);
  }

  get #max() {
    return Math.max(MIN_PX, Math.floor(document.documentElement.clientWidth * MAX_PART));
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const width = Math.min(this.#max, this.#wanted);
    const to = { ArrowLeft: width + STEP_PX, ArrowRight: width - STEP_PX, Home: MIN_PX, End: this.#max }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#set(to);
    this.#store();
  }

  #store() {
    this.#wanted = Math.min(this.#max, this.#wanted);
    storePreference('width', String(this.#wanted));
  }

  /** Shows a width as far as the page allows; a narrower page does not change the wish. @param {number} width */
  #set(width) {
    this.#wanted = Math.max(MIN_PX, Math.round(width));
    const shown = Math.min(this.#max, this.#wanted);
    this.layout.style.setProperty('--guide-width', `${shown}px`);
    const values = { 'aria-valuenow': shown, 'aria-valuemin': MIN_PX, 'aria-valuemax': this.#max, 'aria-valuetext': translate('{count} pixels', { count: shown }) };
    for (const [name, value] of Object.entries(values)) this.node.setAttribute(name, String(value));
  }
}
