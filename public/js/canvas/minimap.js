// A small picture of the whole canvas in the corner while zoomed in; pressing it moves the view.

import { get2dContext } from './paint-layer.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */

const SIZE_RATIO = 0.22;
const MAX_SIZE_CSS_PX = 160;
const MIN_SIZE_CSS_PX = 84;
const REFRESH_MS = 250;
const DOT_MS = 1500;
const MAX_DOTS = 60;

export class Minimap {
  /** @type {{x: number, y: number, at: number}[]} */ #dots = [];
  #picture = document.createElement('canvas');
  #pictureContext = get2dContext(this.#picture);
  #redrawTimer = 0;
  #frameRequest = 0;

  /**
   * @param {HTMLElement} layers
   * @param {CanvasView} view
   */
  constructor(layers, view) {
    this.view = view;
    this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'minimap', id: 'minimap', 'aria-hidden': 'true' }));
    this.context = get2dContext(this.canvas);
    layers.append(this.canvas);
    view.moveListeners.push(() => this.#requestFrame());
    view.placementListeners.push((rows) => this.#addDots(rows));
    view.renderer.drawListeners.push(() => this.#scheduleRedraw(REFRESH_MS));
    this.canvas.addEventListener('pointerdown', (event) => this.#startDrag(event));
    this.canvas.addEventListener('pointermove', (event) => { if (this.canvas.hasPointerCapture(event.pointerId)) this.#moveView(event); });
    this.#redraw();
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  #addDots(rows) {
    const at = performance.now();
    for (const [, x, y] of rows.slice(-MAX_DOTS)) this.#dots.push({ x, y, at });
    this.#dots = this.#dots.slice(-MAX_DOTS);
  }

  /** Updates the picture after a delay, only while it is visible. @param {number} pause */
  #scheduleRedraw(pause) {
    if (this.view.camera.isFitted) return;
    this.#redrawTimer ||= setTimeout(() => this.#redraw(), pause);
  }

  #redraw() {
    clearTimeout(this.#redrawTimer);
    this.#redrawTimer = 0;
    this.#updateSize();
    const { width, height } = this.canvas;
    Object.assign(this.#picture, { width, height });
    this.#pictureContext.imageSmoothingQuality = 'medium';
    this.#pictureContext.imageSmoothingEnabled = width < this.view.camera.columns;
    this.#pictureContext.drawImage(this.view.renderer.paintLayer.updateBitmap(), 0, 0, width, height);
    const oldest = performance.now() - DOT_MS;
    this.#dots = this.#dots.filter((dot) => dot.at > oldest);
    if (this.#dots.length) this.#scheduleRedraw(REFRESH_MS);
    this.#requestFrame();
  }

  #updateSize() {
    const { columns, rows, dpr, viewWidth, viewHeight } = this.view.camera;
    const available = Math.max(viewWidth, viewHeight) / dpr * SIZE_RATIO;
    const longestSide = Math.min(MAX_SIZE_CSS_PX, Math.max(MIN_SIZE_CSS_PX, available)) * dpr;
    const scale = longestSide / Math.max(columns, rows);
    const cell = scale >= 1 ? Math.floor(scale) : scale;
    const [width, height] = [Math.round(columns * cell), Math.round(rows * cell)];
    if (this.canvas.width === width && this.canvas.height === height) return;
    Object.assign(this.canvas, { width, height });
    this.canvas.style.width = `${width / dpr}px`;
    this.canvas.style.height = `${height / dpr}px`;
  }

  #requestFrame() {
    const fitted = this.view.camera.isFitted;
    if (!this.canvas.hidden && fitted) this.#dots = [];
    if (this.canvas.hidden && !fitted) this.#scheduleRedraw(0);
    this.canvas.hidden = fitted;
    if (!fitted) this.#frameRequest ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frameRequest = 0;
    const { context, canvas } = this;
    const { camera } = this.view;
    const scale = canvas.width / camera.columns;
    context.drawImage(this.#picture, 0, 0);
    context.fillStyle = '#f0a030';
    const dot = Math.max(3, Math.round(2.5 * camera.dpr));
    for (const { x, y } of this.#dots) context.fillRect(Math.round(x * scale - dot / 2), Math.round(y * scale - dot / 2), dot, dot);
    const [width, height] = [camera.viewWidth / camera.cell * scale, camera.viewHeight / camera.cell * scale];
    const [left, top] = [camera.x * scale - width / 2, camera.y * scale - height / 2];
    const line = Math.max(1, Math.round(camera.dpr));
    context.fillStyle = 'rgb(12 9 6 / 40%)';
    context.beginPath();
    context.rect(0, 0, canvas.width, canvas.height);
    context.rect(left, top, width, height);
    context.fill('evenodd');
    context.lineWidth = line;
    context.strokeStyle = '#fff';
    context.strokeRect(Math.round(left) + line / 2, Math.round(top) + line / 2, Math.round(width) - line, Math.round(height) - line);
  }

  /** @param {PointerEvent} event */
  #startDrag(event) {
    event.preventDefault();
    this.view.takeControl();
    this.canvas.setPointerCapture(event.pointerId);
    this.#moveView(event);
  }

  /** @param {PointerEvent} event */
  #moveView(event) {
    const box = this.canvas.getBoundingClientRect();
    const { columns, rows } = this.view.camera;
    this.view.jumpTo((event.clientX - box.left) / box.width * columns, (event.clientY - box.top) / box.height * rows);
  }
}
