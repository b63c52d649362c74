// The rectangle tool: the visitor chooses a part of the canvas by two corners, or by dragging with the mouse. Loaded on first use.

import { RectangleOutline } from './rectangle-outline.js';
import { formatSize, regionBetween } from './region.js';
import { byId, el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{pointerId: number, from: Point, clientX: number, clientY: number, isMoved: boolean}} Drag */

/**
 * @typedef {object} ToolActions  what the tool needs from the page
 * @property {(region: Region) => void} choose shows a rectangle that was drawn
 * @property {(point: Point) => void} pick shows a pixel that was clicked while the tool is off
 * @property {() => void} makeRoom closes what covers the canvas
 * @property {(text: string) => void} announce
 */

// A shorter drag is a click.
const CLICK_TOLERANCE_PX = 5;
const DRAW_WITH_MOUSE = translate('Drag over the canvas, or click two opposite corners.');
const DRAW_BY_TOUCH = translate('Tap two opposite corners.');
const OPPOSITE_CORNER = translate('Now the opposite corner.');
const DRAW_BY_KEYBOARD = translate('Move to a corner with the arrow keys and press Enter, then do the same at the opposite corner. Escape cancels.');

export class RectangleTool {
  #isOn = false;
  /** The first corner, once it is chosen. @type {Point | null} */ #corner = null;
  /** @type {Drag | null} */ #drag = null;
  /** Takes the rectangle, or `null` if the visitor cancels. @type {(region: Region | null) => void} */ #finish = () => {};
  #button = byId('rectangle');
  #hint = el('p', { class: 'rectangle-hint' });
  #hintText = el('span', {});

  /**
   * @param {import('./canvas-view.js').CanvasView} view
   * @param {ToolActions} actions
   */
  constructor(view, actions) {
    this.view = view;
    this.actions = actions;
    this.outline = new RectangleOutline(view);
    const cancel = el('button', { type: 'button' }, translate('Cancel'));
    cancel.addEventListener('click', () => this.cancel());
    this.#hint.append(this.#hintText, cancel);
    this.#hint.hidden = true;
    byId('notice').after(this.#hint);
    const { canvas } = view.elements;
    canvas.addEventListener('pointermove', (event) => this.#handleMove(event));
    canvas.addEventListener('pointerup', (event) => this.endDrag(event));
    canvas.addEventListener('pointercancel', (event) => { if (this.#isDragging(event)) this.cancel(); });
    // Before the listeners of cards and lenses, for which Escape has a meaning too.
    window.addEventListener('keydown', (event) => this.#handleKey(event), true);
  }

  get isOn() {
    return this.#isOn;
  }

  toggle() {
    if (this.#isOn) this.cancel();
    else this.start();
  }

  /** Lets the visitor draw; by default the rectangle is then shown. @param {(region: Region | null) => void} [finish] */
  start(finish = (region) => { if (region) this.actions.choose(region); }) {
    this.cancel();
    this.#finish = finish;
    this.#setOn(true);
    this.actions.makeRoom();
    this.view.takeControl();
    this.view.elements.frame.scrollIntoView({ block: 'nearest' });
    this.view.elements.canvas.focus({ preventScroll: true });
    this.#hintText.textContent = matchMedia('(pointer: coarse)').matches ? DRAW_BY_TOUCH : DRAW_WITH_MOUSE;
    this.actions.announce(DRAW_BY_KEYBOARD);
  }

  cancel() {
    if (this.#isOn || this.#drag) this.#end(null);
  }

  /** Takes a corner that was clicked, tapped or entered. @param {Point} point */
  addCorner(point) {
    const first = this.#corner;
    if (first) return this.#end(regionBetween(first, point));
    this.#corner = point;
    this.outline.show(regionBetween(point, point));
    this.#hintText.textContent = OPPOSITE_CORNER;
    this.actions.announce(`${translate('First corner at {x}, {y}.', point)} ${OPPOSITE_CORNER}`);
  }

  /** Shows the rectangle between the first corner and the pointer. @param {Point | null} point */
  moveTo(point) {
    if (this.#corner && point && !this.#drag) this.outline.show(regionBetween(this.#corner, point));
  }

  /**
   * Starts a rectangle at a press of the mouse; while the tool is off, it must have been with Shift.
   * @param {PointerEvent} event
   */
  startDrag({ pointerId, clientX, clientY }) {
    this.view.takeControl();
    this.#drag = { pointerId, clientX, clientY, from: this.#cellAt(clientX, clientY), isMoved: false };
  }

  /** @param {PointerEvent} event */
  #handleMove(event) {
    const drag = this.#drag;
    if (!drag || !this.#isDragging(event)) return;
    this.#moveDrag(drag, event);
  }

  /**
   * @param {Drag} drag
   * @param {PointerEvent} event
   */
  #moveDrag(drag, { clientX, clientY }) {
    const hasLeft = Math.hypot(clientX - drag.clientX, clientY - drag.clientY) > CLICK_TOLERANCE_PX;
    if (hasLeft && !drag.isMoved) {
      drag.isMoved = true;
      this.actions.makeRoom();
    }
    if (drag.isMoved) this.outline.show(regionBetween(drag.from, this.#cellAt(clientX, clientY)));
  }

  /** Completes the rectangle where the mouse is released. @param {PointerEvent} event */
  endDrag(event) {
    const drag = this.#drag;
    if (!drag || !this.#isDragging(event)) return;
    // The moves may have come before this module was loaded.
    this.#moveDrag(drag, event);
    this.#drag = null;
    if (drag.isMoved) {
      if (!this.#isOn) this.#finish = (region) => { if (region) this.actions.choose(region); };
      this.#end(regionBetween(drag.from, this.#cellAt(event.clientX, event.clientY)));
    } else if (this.#isOn) this.addCorner(drag.from);
    else this.actions.pick(drag.from);
  }

  /** @param {PointerEvent} event */
  #isDragging(event) {
    return this.#drag?.pointerId === event.pointerId;
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.key !== 'Escape' || !(this.#isOn || this.#drag) || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    event.stopPropagation();
    this.cancel();
    this.actions.announce(translate('No rectangle was chosen.'));
  }

  /** @param {boolean} isOn */
  #setOn(isOn) {
    this.#isOn = isOn;
    this.#button.setAttribute('aria-pressed', String(isOn));
    this.#hint.hidden = !isOn;
  }

  /** @param {Region | null} region */
  #end(region) {
    const finish = this.#finish;
    this.#finish = () => {};
    this.#corner = null;
    this.#drag = null;
    // The focus would be lost with the button that is hidden.
    if (this.#hint.contains(document.activeElement)) this.view.elements.canvas.focus({ preventScroll: true });
    this.#setOn(false);
    this.outline.show(null);
    if (region) this.actions.announce(translate('{size} pixels are chosen.', { size: formatSize(region) }));
    finish(region);
  }

  /**
   * Returns the pixel at a point of the page, or the nearest one if the pointer has left the canvas.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {Point}
   */
  #cellAt(clientX, clientY) {
    const { camera, state } = this.view;
    const { px, py } = this.view.toDevicePixels(clientX, clientY);
    const { x, y } = camera.cellAt(px, py);
    return { x: Math.max(0, Math.min(state.width - 1, Math.floor(x))), y: Math.max(0, Math.min(state.height - 1, Math.floor(y))) };
  }
}
