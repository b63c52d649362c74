// The framed canvas: sizes the frame to whole pixels, moves the camera, and draws once per frame only what changed.

import { ArtLayer } from './art-layer.js';
import { Camera, fitCell } from './camera.js';
import { Overlay } from './overlay.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('./types.js').Region} Region */
/** @typedef {{x: number, y: number}} Spot */

const still = matchMedia('(prefers-reduced-motion: reduce)');
const FLIGHT_MS = 260;

export class CanvasView {
  camera = new Camera();
  /** @type {Set<number>} */ #changed = new Set();
  #redraw = true;
  #overlayDirty = true;
  #planned = 0;
  #flight = 0;
  /** @type {() => void} */ onMove = () => {};

  /**
   * @param {{nail: HTMLElement, frame: HTMLElement, art: HTMLCanvasElement, overlay: HTMLCanvasElement}} parts
   * @param {CanvasState} state
   */
  constructor(parts, state) {
    this.parts = parts;
    this.state = state;
    this.art = new ArtLayer(parts.art);
    this.overlay = new Overlay(parts.overlay);
    new ResizeObserver(() => this.resize()).observe(parts.nail);
    this.resize();
  }

  /** The state was loaded anew. */
  reload() {
    this.art.load(this.state);
    this.#changed.clear();
    this.resize();
  }

  /**
   * Gives the frame the size at which every cell is a whole number of device pixels, and keeps the view.
   */
  resize() {
    const { nail, frame, art, overlay } = this.parts;
    const { camera, state } = this;
    const wasFitted = camera.fitted;
    const cssZoom = camera.zoom / camera.dpr;
    const style = getComputedStyle(frame);
    const edge = 2 * (parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth));
    const dpr = window.devicePixelRatio || 1;
    const cell = fitCell((nail.clientWidth - edge) * dpr / state.width, (nail.clientHeight - edge) * dpr / state.height);
    if (!(cell > 0)) return;
    Object.assign(camera, { dpr, columns: state.width, rows: state.height });
    camera.viewWidth = Math.round(cell * state.width);
    camera.viewHeight = Math.round(cell * state.height);
    frame.style.width = `${camera.viewWidth / dpr + edge}px`;
    frame.style.height = `${camera.viewHeight / dpr + edge}px`;
    frame.closest('main')?.style.setProperty('--frame-size', frame.style.width);
    for (const canvas of [art, overlay]) Object.assign(canvas, { width: camera.viewWidth, height: camera.viewHeight });
    camera.zoom = wasFitted ? camera.fitCell : cssZoom * dpr;
    this.#moved();
  }

  /**
   * @param {import('./types.js').PixelRow[]} rows
   */
  paint(rows) {
    for (const [, x, y, color] of rows) {
      const index = this.state.set(x, y, color);
      if (index < 0) continue;
      this.#changed.add(index);
      this.overlay.glow(x, y);
    }
    this.#plan();
  }

  /** @param {Region | null} region */
  outline(region) {
    this.overlay.region = region;
    this.#touch();
  }

  /** @param {Spot | null} spot */
  choose(spot) {
    this.overlay.chosen = spot;
    this.#touch();
  }

  /** @param {Spot | null} spot */
  point(spot) {
    this.overlay.pointer = spot;
    this.#touch();
  }

  /**
   * The cell under a point of the page, or null beside the canvas.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {Spot | null}
   */
  locate(clientX, clientY) {
    const { px, py } = this.toDevice(clientX, clientY);
    const at = this.camera.cellAt(px, py);
    const spot = { x: Math.floor(at.x), y: Math.floor(at.y) };
    return this.state.has(spot.x, spot.y) ? spot : null;
  }

  /**
   * @param {number} clientX
   * @param {number} clientY
   */
  toDevice(clientX, clientY) {
    const box = this.parts.art.getBoundingClientRect();
    return { px: (clientX - box.left) * this.camera.dpr, py: (clientY - box.top) * this.camera.dpr };
  }

  fit() {
    this.flyTo(this.state.width / 2, this.state.height / 2, 0);
  }

  /**
   * @param {number} factor
   * @param {{px: number, py: number}} [at] device pixels; the window's centre by default
   */
  zoomBy(factor, at = { px: this.camera.viewWidth / 2, py: this.camera.viewHeight / 2 }) {
    this.#land();
    this.camera.zoomAt(this.camera.zoom * factor, at.px, at.py);
    this.#moved();
  }

  /**
   * @param {number} dx device pixels
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.#land();
    this.camera.panBy(dx, dy);
    this.#moved();
  }

  /**
   * Goes to a place; `cssCell` is the wanted size of a cell in CSS pixels, 0 for the whole canvas.
   * @param {number} x
   * @param {number} y
   * @param {number} [cssCell]
   */
  jumpTo(x, y, cssCell = this.camera.cssCell) {
    this.#land();
    Object.assign(this.camera, { x, y, zoom: cssCell * this.camera.dpr });
    this.#moved();
  }

  /**
   * The same, with a short glide for those who do not mind motion.
   * @param {number} x
   * @param {number} y
   * @param {number} [cssCell]
   */
  flyTo(x, y, cssCell = this.camera.cssCell) {
    if (still.matches || document.hidden) return this.jumpTo(x, y, cssCell);
    this.#land();
    const { camera } = this;
    const goal = Object.assign(new Camera(), camera, { x, y, zoom: cssCell * camera.dpr });
    goal.clamp();
    const from = { x: camera.x, y: camera.y, zoom: camera.zoom };
    const start = performance.now();
    const step = () => {
      const t = Math.min(1, (performance.now() - start) / FLIGHT_MS);
      const ease = 1 - (1 - t) ** 3;
      camera.zoom = from.zoom * (goal.zoom / from.zoom) ** ease;
      camera.x = from.x + (goal.x - from.x) * ease;
      camera.y = from.y + (goal.y - from.y) * ease;
      this.#moved();
      this.#flight = t < 1 ? requestAnimationFrame(step) : 0;
    };
    step();
  }

  /** A hand on the canvas ends any glide. */
  #land() {
    cancelAnimationFrame(this.#flight);
    this.#flight = 0;
  }

  #moved() {
    this.camera.clamp();
    this.#redraw = true;
    this.#touch();
    this.parts.art.toggleAttribute('data-zoomed', !this.camera.fitted);
    this.onMove();
  }

  #touch() {
    this.#overlayDirty = true;
    this.#plan();
  }

  #plan() {
    if (!this.#planned) this.#planned = requestAnimationFrame((now) => this.#draw(now));
  }

  /** @param {number} now */
  #draw(now) {
    this.#planned = 0;
    if (this.#changed.size) this.art.drawCells(this.camera, this.state, this.#changed);
    if (this.#redraw) this.art.drawAll(this.camera);
    if (this.#overlayDirty || this.overlay.glowing) this.overlay.draw(this.camera, now);
    this.#changed.clear();
    this.#redraw = false;
    this.#overlayDirty = false;
    if (this.overlay.glowing) this.#plan();
  }
}
