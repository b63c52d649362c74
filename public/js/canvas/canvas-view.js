// The framed canvas: what is shown, the camera and its movements.

import { createAnimation, createInertia } from './animate.js';
import { Camera } from './camera.js';
import { CanvasRenderer } from './canvas-renderer.js';
import { layOutFrame, watchPixelRatio } from './layout.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
const ANIMATION_MS = 260;

export class CanvasView {
  camera = new Camera();
  /** @type {((now: number) => boolean) | null} */ #animation = null;
  /** Called after every camera move. @type {(() => void)[]} */ moveListeners = [];
  /** Called with placements that are visible and may be pointed out. @type {((rows: PixelRow[]) => void)[]} */ placementListeners = [];
  /** Called with all placements in the moment that is shown. @type {((rows: PixelRow[]) => void)[]} */ appliedListeners = [];
  /** Called when the visitor takes control of the view. @type {(() => void)[]} */ controlListeners = [];
  /** Called when another moment is shown; `false` for the live canvas. @type {((isPast: boolean) => void)[]} */ momentListeners = [];
  /** Called when the highlighted agent changed. @type {(() => void)[]} */ agentHighlightListeners = [];
  /** Highlights the pixels of one agent; `null` ends it. @type {(id: string | null) => void} */ highlightAgent = () => {};

  /**
   * @param {{slot: HTMLElement, frame: HTMLElement, canvas: HTMLCanvasElement, overlay: HTMLCanvasElement}} elements
   * @param {CanvasState} state
   */
  constructor(elements, state) {
    this.elements = elements;
    this.state = state;
    this.renderer = new CanvasRenderer(elements, state, this.camera);
    this.renderer.beforeFrame = (now) => this.#animate(now);
    new ResizeObserver(() => this.resize()).observe(elements.slot);
    watchPixelRatio(() => this.resize());
    this.resize();
  }

  /** Redraws everything after the state was loaded again. */
  reload() {
    this.renderer.reload();
    const { columns, rows } = this.camera;
    if (columns !== this.state.width || rows !== this.state.height) this.resize();
  }

  /**
   * Shows the cells of a past moment; `null` shows the live canvas again.
   * @param {Uint8Array | null} cells
   */
  showCells(cells) {
    this.state.showCells(cells);
    this.reload();
    for (const notify of this.momentListeners) notify(cells !== null);
  }

  /** Fits the frame to its place and keeps the visible area. */
  resize() {
    const { camera, state } = this;
    const wasFitted = camera.isFitted;
    const cssZoom = camera.zoom / camera.dpr;
    const size = layOutFrame(this.elements, state);
    if (!size) return;
    Object.assign(camera, size, { columns: state.width, rows: state.height });
    this.renderer.resize(size);
    camera.zoom = wasFitted ? camera.fitCell : cssZoom * camera.dpr;
    this.#handleMove();
    // A canvas whose size changed is blank: it is redrawn before the next paint.
    this.renderer.draw(performance.now());
  }

  /**
   * Applies live placements; they are drawn unless a past moment is shown.
   * @param {PixelRow[]} rows
   */
  applyLive(rows) {
    if (this.state.shownSeq === null) return this.applyPlacements(rows);
    for (const [, x, y, color] of rows) this.state.setLive(x, y, color);
  }

  /**
   * Applies placements to the moment that is shown.
   * @param {PixelRow[]} rows
   * @param {{highlight?: boolean}} [options]
   */
  applyPlacements(rows, { highlight = true } = {}) {
    const highlighted = this.renderer.applyPlacements(rows, highlight);
    for (const notify of this.appliedListeners) notify(rows);
    if (highlighted.length) for (const notify of this.placementListeners) notify(highlighted);
  }

  /** Outlines regions in place of earlier ones. @param {Region[]} regions */
  outlineRegions(regions) {
    this.renderer.overlay.regions = regions;
    this.renderer.markOverlayDirty();
  }

  /** @param {Point | null} point */
  selectPixel(point) {
    this.renderer.overlay.selected = point;
    this.renderer.markOverlayDirty();
  }

  /** @param {Point | null} point */
  setPointer(point) {
    this.renderer.overlay.pointer = point;
    this.renderer.markOverlayDirty();
  }

  /**
   * Returns the cell at a point of the page; `null` outside the canvas.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {Point | null}
   */
  pixelAt(clientX, clientY) {
    const { px, py } = this.toDevicePixels(clientX, clientY);
    const cell = this.camera.cellAt(px, py);
    const point = { x: Math.floor(cell.x), y: Math.floor(cell.y) };
    return this.state.contains(point.x, point.y) ? point : null;
  }

  /**
   * Converts a point of the page to device pixels of the canvas.
   * @param {number} clientX
   * @param {number} clientY
   */
  toDevicePixels(clientX, clientY) {
    const box = this.elements.canvas.getBoundingClientRect();
    return { px: (clientX - box.left) * this.camera.dpr, py: (clientY - box.top) * this.camera.dpr };
  }

  /** Shows the whole canvas. */
  fit() {
    this.animateTo(this.state.width / 2, this.state.height / 2, 0);
  }

  /** Stops animations and tells listeners (such as following) that the visitor moves the view. */
  takeControl() {
    this.#animation = null;
    for (const notify of this.controlListeners) notify();
  }

  /**
   * Zooms at a point.
   * @param {number} factor
   * @param {{px: number, py: number}} [at] device pixels; the centre of the view by default
   */
  zoomBy(factor, at = { px: this.camera.viewWidth / 2, py: this.camera.viewHeight / 2 }) {
    this.#animation = null;
    this.camera.zoomAt(this.camera.zoom * factor, at.px, at.py);
    this.#handleMove();
  }

  /**
   * Moves the view.
   * @param {number} dx device pixels
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.#animation = null;
    this.camera.panBy(dx, dy);
    this.#handleMove();
  }

  /**
   * Lets the view run out after a drag.
   * @param {number} speedX device pixels per millisecond
   * @param {number} speedY
   */
  startInertia(speedX, speedY) {
    if (reducedMotion.matches) return;
    this.#animation = createInertia(this.camera, speedX, speedY);
    this.renderer.requestFrame();
  }

  /**
   * Centres a cell at once. `cssCell` is the cell size in CSS pixels; 0 shows the whole canvas.
   * @param {number} x
   * @param {number} y
   * @param {number} [cssCell]
   */
  jumpTo(x, y, cssCell = this.camera.cssCell) {
    this.#animation = null;
    Object.assign(this.camera, { x, y, zoom: cssCell * this.camera.dpr });
    this.#handleMove();
  }

  /**
   * Centres a cell with an animation, or at once if the visitor prefers reduced motion.
   * @param {number} x
   * @param {number} y
   * @param {number} [cssCell]
   * @param {number} [duration] milliseconds
   */
  animateTo(x, y, cssCell = this.camera.cssCell, duration = ANIMATION_MS) {
    if (reducedMotion.matches || document.hidden) return this.jumpTo(x, y, cssCell);
    this.#animation = createAnimation(this.camera, { x, y, zoom: cssCell * this.camera.dpr }, duration);
    this.renderer.requestFrame();
  }

  #handleMove() {
    this.camera.clamp();
    this.renderer.handleMove();
    this.elements.canvas.toggleAttribute('data-zoomed', !this.camera.isFitted);
    for (const notify of this.moveListeners) notify();
  }

  /** Moves the camera one step on; returns whether the animation goes on. @param {number} now */
  #animate(now) {
    const animation = this.#animation;
    if (!animation) return false;
    const goesOn = animation(now);
    this.#handleMove();
    if (!goesOn && this.#animation === animation) this.#animation = null;
    return this.#animation !== null;
  }
}
