// Draws the canvas, its highlights and its overlay: once per frame, and only what changed.

import { FramePacer } from './frame-pacer.js';
import { Overlay } from './overlay.js';
import { PaintLayer } from './paint-layer.js';
import { loadLater } from '../shared/lazy-load.js';

/** @typedef {import('./camera.js').Camera} Camera */
/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('./highlights.js').Highlights} Highlights */
/** @typedef {import('./paint-layer.js').Lens} Lens */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {{isActive: boolean, draw: (now: number) => void}} Animated */

const HIGHLIGHTS_DELAY_MS = 1000;
// With more pending changes than this (hidden tab, slow machine), the whole canvas is redrawn.
const MAX_PENDING_CHANGES = 20000;

export class CanvasRenderer {
  /** @type {Set<number>} */ #changed = new Set();
  #isReloaded = false;
  #needsRedraw = true;
  #isOverlayDirty = true;
  #pacer = new FramePacer((now) => this.#runFrame(now));
  #animatedAt = -Infinity;
  /** Highlights of new placements, loaded with the first of them. @type {Highlights | null} */ #highlights = null;
  #highlightsRequested = false;
  /** @type {Lens | null} */ #lens = null;
  /** Drawn together with the highlights while active, so that all that fades shares its frames. @type {Animated[]} */ animated = [];
  /** Called after the canvas was redrawn in whole or in part. @type {(() => void)[]} */ drawListeners = [];
  /** Called before each frame; returns whether another one is needed. @type {(now: number) => boolean} */ beforeFrame = () => false;

  /**
   * @param {{canvas: HTMLCanvasElement, overlay: HTMLCanvasElement}} elements
   * @param {CanvasState} state
   * @param {Camera} camera
   */
  constructor(elements, state, camera) {
    this.elements = elements;
    this.state = state;
    this.camera = camera;
    this.paintLayer = new PaintLayer(elements.canvas);
    this.overlay = new Overlay(elements.overlay);
  }

  get lens() {
    return this.#lens;
  }

  /** Draws through a lens; `null` draws the paint itself. @param {Lens | null} lens */
  set lens(lens) {
    this.#lens = lens;
    this.#isReloaded = true;
    this.requestFrame();
  }

  /** Redraws everything after the state was loaded again. */
  reload() {
    this.#isReloaded = true;
    this.#highlights?.clear();
    this.requestFrame();
  }

  /** Sets the size of all layers in device pixels. @param {{viewWidth: number, viewHeight: number}} size */
  resize({ viewWidth: width, viewHeight: height }) {
    for (const canvas of [this.elements.canvas, this.#highlights?.canvas, this.elements.overlay]) {
      if (canvas && (canvas.width !== width || canvas.height !== height)) Object.assign(canvas, { width, height });
    }
  }

  /** Redraws after the camera has moved. */
  handleMove() {
    this.#needsRedraw = true;
    this.markOverlayDirty();
    this.#highlights?.shimmer.reposition(this.camera);
  }

  markOverlayDirty() {
    this.#isOverlayDirty = true;
    this.requestFrame();
  }

  /**
   * Applies placements to the moment that is shown.
   * @param {PixelRow[]} rows
   * @param {boolean} highlight
   * @returns {PixelRow[]} the placements that may be highlighted
   */
  applyPlacements(rows, highlight) {
    for (const [, x, y, color] of rows) {
      const index = this.state.setShown(x, y, color);
      if (index >= 0) this.#changed.add(index);
    }
    this.#lens?.applyPlacements(rows);
    if (this.#changed.size > MAX_PENDING_CHANGES) this.#isReloaded = true;
    if (this.#isReloaded) this.#changed.clear();
    const highlighted = highlight && !document.hidden ? this.#highlight(rows) : [];
    this.#pacer.addPlacements(rows.length);
    // Playback moves with each frame, as the time bar does.
    if (this.state.shownSeq === null) this.requestPacedFrame();
    else this.requestFrame();
    return highlighted;
  }

  /** @param {PixelRow[]} rows */
  #highlight(rows) {
    const now = performance.now();
    const lens = this.#lens;
    const highlighted = lens?.shouldHighlight ? rows.filter(([, , , , id]) => lens.shouldHighlight?.(id)) : rows;
    if (highlighted.length && !this.#highlightsRequested) void this.#loadHighlights();
    for (const [, x, y] of highlighted) this.#highlights?.add(this.camera, x, y, now);
    return highlighted;
  }

  async #loadHighlights() {
    this.#highlightsRequested = true;
    // On a busy canvas placements arrive before the first view is complete; highlights can wait.
    await new Promise((done) => setTimeout(done, HIGHLIGHTS_DELAY_MS));
    const loaded = await loadLater().catch(() => null);
    this.#highlightsRequested = loaded !== null;
    if (!loaded) return;
    const { canvas, overlay } = this.elements;
    this.#highlights = new loaded.Highlights();
    Object.assign(this.#highlights.canvas, { width: canvas.width, height: canvas.height });
    overlay.before(this.#highlights.shimmer.canvas, this.#highlights.canvas);
  }

  /** Requests the browser's next frame, for what the visitor does. */
  requestFrame() {
    this.#pacer.request();
  }

  /** Requests a frame at the limited rate of what changes by itself. */
  requestPacedFrame() {
    this.#pacer.requestPaced();
  }

  /** @param {number} now */
  #runFrame(now) {
    const isMoving = this.beforeFrame(now);
    this.draw(now);
    if (isMoving || this.paintLayer.isRough) this.requestFrame();
    else if (this.#highlights?.isActive || this.animated.some(({ isActive }) => isActive)) this.requestPacedFrame();
  }

  /** @param {number} now */
  draw(now) {
    const isRedrawn = this.#isReloaded || this.#changed.size > 0;
    if (this.#isReloaded) {
      this.paintLayer.load(this.state, this.#lens);
      this.elements.canvas.toggleAttribute('data-painted', true);
      this.#changed.clear();
      this.#needsRedraw = true;
    }
    if (this.#changed.size) this.paintLayer.drawChanges(this.camera, this.state, this.#changed, this.#lens, this.#needsRedraw);
    if (this.#needsRedraw) this.paintLayer.drawAll(this.camera);
    else this.paintLayer.drawExactBand(this.camera);
    if (this.#needsRedraw || this.#pacer.isDue(this.#animatedAt, now)) this.#drawAnimated(now);
    if (this.#isOverlayDirty) this.overlay.draw(this.camera);
    this.#changed.clear();
    this.#isReloaded = false;
    this.#needsRedraw = false;
    this.#isOverlayDirty = false;
    if (isRedrawn) for (const notify of this.drawListeners) notify();
  }

  /** @param {number} now */
  #drawAnimated(now) {
    this.#animatedAt = now;
    if (this.#needsRedraw || this.#highlights?.isActive) this.#highlights?.draw(this.camera, now);
    for (const part of this.animated) if (part.isActive) part.draw(now);
  }
}
