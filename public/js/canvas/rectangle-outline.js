// The outline of a rectangle over the canvas, with its size as a label.

import { isSeen, toBox } from './overlay.js';
import { formatSize } from './region.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('../shared/types.js').Region} Region */

const LABEL_GAP_PX = 6;

export class RectangleOutline {
  /** @type {Region | null} */ #region = null;
  #label = el('p', { class: 'rectangle-size num', 'aria-hidden': 'true' });

  /** @param {import('./canvas-view.js').CanvasView} view */
  constructor(view) {
    this.view = view;
    this.#label.hidden = true;
    view.elements.overlay.after(this.#label);
    view.renderer.overlay.layers.push(this);
    view.moveListeners.push(() => this.#placeLabel());
  }

  get isVisible() {
    return this.#region !== null;
  }

  /** Outlines a rectangle; `null` removes the outline. @param {Region | null} region */
  show(region) {
    this.#region = region;
    this.#label.hidden = region === null;
    if (region) this.#label.textContent = formatSize(region);
    this.#placeLabel();
    this.view.renderer.markOverlayDirty();
  }

  /**
   * Draws a dark and a light line, which are visible on any paint.
   * @param {CanvasRenderingContext2D} context
   * @param {Camera} camera
   */
  draw(context, camera) {
    if (!this.#region) return;
    const { x, y, width, height } = toBox(camera, this.#region);
    const line = Math.max(1, Math.round(camera.dpr));
    context.lineWidth = line * 2;
    context.strokeStyle = '#fff';
    context.strokeRect(x - line, y - line, width + 2 * line, height + 2 * line);
    context.strokeStyle = '#14100c';
    context.strokeRect(x - 3 * line, y - 3 * line, width + 6 * line, height + 6 * line);
  }

  /** Puts the label above the rectangle, or inside of it where there is no room. */
  #placeLabel() {
    if (!this.#region) return;
    const { camera } = this.view;
    const box = toBox(camera, this.#region);
    this.#label.hidden = !isSeen(camera, box);
    const { offsetWidth, offsetHeight } = this.#label;
    const left = Math.max(0, Math.min(box.x, camera.viewWidth - offsetWidth * camera.dpr)) / camera.dpr;
    const above = box.y / camera.dpr - offsetHeight - LABEL_GAP_PX;
    const top = above >= 0 ? above : Math.max(0, box.y / camera.dpr) + LABEL_GAP_PX;
    this.#label.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
}
