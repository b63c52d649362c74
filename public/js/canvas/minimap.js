// The whole canvas, small, in the corner of the frame while one looks from near; a press on it moves the view.

import { context } from './paint-layer.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */

const SHARE = 0.22;
const LARGEST_CSS_PX = 160;
const SMALLEST_CSS_PX = 84;
const REFRESH_MS = 250;
const DOT_MS = 1500;
const MOST_DOTS = 60;

export class Minimap {
  /** @type {{x: number, y: number, at: number}[]} */ #dots = [];
  #picture = document.createElement('canvas');
  #picturePen = context(this.#picture);
  #due = 0;
  #planned = 0;

  /**
   * @param {HTMLElement} glass
   * @param {CanvasView} view
   */
  constructor(glass, view) {
    this.view = view;
    this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'minimap', id: 'minimap', 'aria-hidden': 'true' }));
    this.pen = context(this.canvas);
    glass.append(this.canvas);
    view.moves.push(() => this.#plan());
    view.strokes.push((rows) => this.#saw(rows));
    view.draws.push(() => this.#renewSoon(REFRESH_MS));
    this.canvas.addEventListener('pointerdown', (event) => this.#press(event));
    this.canvas.addEventListener('pointermove', (event) => { if (this.canvas.hasPointerCapture(event.pointerId)) this.#go(event); });
    this.#renew();
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  #saw(rows) {
    const at = performance.now();
    for (const [, x, y] of rows.slice(-MOST_DOTS)) this.#dots.push({ x, y, at });
    this.#dots = this.#dots.slice(-MOST_DOTS);
  }

  /** The picture is made anew a few times a second at most, and only while someone sees it. @param {number} pause */
  #renewSoon(pause) {
    if (this.view.camera.fitted) return;
    this.#due ||= setTimeout(() => this.#renew(), pause);
  }

  #renew() {
    clearTimeout(this.#due);
    this.#due = 0;
    this.#measure();
    const { width, height } = this.canvas;
    Object.assign(this.#picture, { width, height });
    this.#picturePen.imageSmoothingQuality = 'medium';
    this.#picturePen.imageSmoothingEnabled = width < this.view.camera.columns;
    this.#picturePen.drawImage(this.view.art.refresh(), 0, 0, width, height);
    const oldest = performance.now() - DOT_MS;
    this.#dots = this.#dots.filter((dot) => dot.at > oldest);
    if (this.#dots.length) this.#renewSoon(REFRESH_MS);
    this.#plan();
  }

  #measure() {
    const { columns, rows, dpr, viewWidth, viewHeight } = this.view.camera;
    const room = Math.max(viewWidth, viewHeight) / dpr * SHARE;
    const longest = Math.min(LARGEST_CSS_PX, Math.max(SMALLEST_CSS_PX, room)) * dpr;
    const scale = longest / Math.max(columns, rows);
    const cell = scale >= 1 ? Math.floor(scale) : scale;
    const [width, height] = [Math.round(columns * cell), Math.round(rows * cell)];
    if (this.canvas.width === width && this.canvas.height === height) return;
    Object.assign(this.canvas, { width, height });
    this.canvas.style.width = `${width / dpr}px`;
    this.canvas.style.height = `${height / dpr}px`;
  }

  #plan() {
    const fitted = this.view.camera.fitted;
    if (!this.canvas.hidden && fitted) this.#dots = [];
    if (this.canvas.hidden && !fitted) this.#renewSoon(0);
    this.canvas.hidden = fitted;
    if (!fitted) this.#planned ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#planned = 0;
    const { pen, canvas } = this;
    const { camera } = this.view;
    const scale = canvas.width / camera.columns;
    pen.drawImage(this.#picture, 0, 0);
    pen.fillStyle = '#f0a030';
    const dot = Math.max(3, Math.round(2.5 * camera.dpr));
    for (const { x, y } of this.#dots) pen.fillRect(Math.round(x * scale - dot / 2), Math.round(y * scale - dot / 2), dot, dot);
    const [width, height] = [camera.viewWidth / camera.cell * scale, camera.viewHeight / camera.cell * scale];
    const [left, top] = [camera.x * scale - width / 2, camera.y * scale - height / 2];
    const line = Math.max(1, Math.round(camera.dpr));
    pen.fillStyle = 'rgb(12 9 6 / 40%)';
    pen.beginPath();
    pen.rect(0, 0, canvas.width, canvas.height);
    pen.rect(left, top, width, height);
    pen.fill('evenodd');
    pen.lineWidth = line;
    pen.strokeStyle = '#fff';
    pen.strokeRect(Math.round(left) + line / 2, Math.round(top) + line / 2, Math.round(width) - line, Math.round(height) - line);
  }

  /** @param {PointerEvent} event */
  #press(event) {
    event.preventDefault();
    this.view.hold();
    this.canvas.setPointerCapture(event.pointerId);
    this.#go(event);
  }

  /** @param {PointerEvent} event */
  #go(event) {
    const box = this.canvas.getBoundingClientRect();
    const { columns, rows } = this.view.camera;
    this.view.jumpTo((event.clientX - box.left) / box.width * columns, (event.clientY - box.top) / box.height * rows);
  }
}
