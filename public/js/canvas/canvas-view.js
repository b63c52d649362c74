// The framed canvas: moves the camera, and draws once per frame only what changed.

import { ArtLayer } from './paint-layer.js';
import { Camera } from './camera.js';
import { coast, glide } from './animate.js';
import { hang, watchRatio } from './layout.js';
import { Overlay } from './overlay.js';

/** @typedef {import('./paint-layer.js').Lens} Lens */
/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('./highlights.js').Sparks} Sparks */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Spot */

const still = matchMedia('(prefers-reduced-motion: reduce)');
const FLIGHT_MS = 260;
// A frame of the stream holds what happened in fifty milliseconds: it is painted over as long, not at one blow.
const FRAMES = 3;
const AT_ONCE = 64;
const KINDLE_AFTER_MS = 1000;
// With more changes than this behind (a hidden tab, a slow machine), everything is drawn anew.
const TOO_MANY = 20000;

export class CanvasView {
  camera = new Camera();
  /** @type {Set<number>} */ #changed = new Set();
  #reloaded = false;
  #redraw = true;
  #overlayDirty = true;
  #planned = 0;
  /** The light of new strokes, which comes with the first of them. @type {Sparks | null} */ #sparks = null;
  #kindled = false;
  /** @type {((now: number) => boolean) | null} */ #flight = null;
  /** @type {Lens | null} */ #lens = null;
  /** Called after every move. @type {(() => void)[]} */ moves = [];
  /** Called with strokes that show and may be pointed at. @type {((rows: PixelRow[]) => void)[]} */ strokes = [];
  /** Called when a hand took hold of the view. @type {(() => void)[]} */ holds = [];
  /** Called when another moment is shown; false: now again. @type {((past: boolean) => void)[]} */ shows = [];
  /** Called after the paint, or the way to look at it, was drawn anew in whole or in part. @type {(() => void)[]} */ draws = [];
  /** Called when the light on an agent's pixels went on or off. @type {(() => void)[]} */ lights = [];
  /** Lights up the pixels of one agent, and ends it with null. @type {(id: string | null) => void} */ light = () => {};

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
    watchRatio(() => this.resize());
    this.resize();
  }

  /** The state was loaded anew. */
  reload() {
    this.#reloaded = true;
    this.#sparks?.clear();
    const { columns, rows } = this.camera;
    if (columns !== this.state.width || rows !== this.state.height) this.resize();
    this.#plan();
  }

  /**
   * Shows another moment; null shows now again.
   * @param {Uint8Array | null} cells
   */
  show(cells) {
    this.state.replace(cells);
    this.reload();
    for (const tell of this.shows) tell(cells !== null);
  }

  get lens() {
    return this.#lens;
  }

  /** Another way to look; null shows the paint. @param {Lens | null} lens */
  set lens(lens) {
    this.#lens = lens;
    this.#reloaded = true;
    this.#plan();
  }

  /** Gives the frame its size and keeps the view. */
  resize() {
    const { camera, state } = this;
    const wasFitted = camera.fitted;
    const cssZoom = camera.zoom / camera.dpr;
    const size = hang(this.parts, state);
    if (!size) return;
    Object.assign(camera, size, { columns: state.width, rows: state.height });
    for (const canvas of [this.parts.art, this.#sparks?.canvas, this.parts.overlay]) {
      if (!canvas) continue;
      if (canvas.width !== size.viewWidth || canvas.height !== size.viewHeight) Object.assign(canvas, { width: size.viewWidth, height: size.viewHeight });
    }
    camera.zoom = wasFitted ? camera.fitCell : cssZoom * camera.dpr;
    this.#moved();
    // A canvas that changed its size is blank: it is drawn before anyone sees it so.
    this.#draw(performance.now());
  }

  /**
   * Strokes of now: they show unless another moment does.
   * @param {PixelRow[]} rows
   */
  paintNow(rows) {
    if (this.state.moment === null) return this.paint(rows);
    for (const [, x, y, color] of rows) this.state.keep(x, y, color);
  }

  /**
   * Strokes of the moment that is shown.
   * @param {PixelRow[]} rows
   * @param {{glow?: boolean}} [how]
   */
  paint(rows, { glow = true } = {}) {
    for (const [, x, y, color] of rows) {
      const index = this.state.set(x, y, color);
      if (index >= 0) this.#changed.add(index);
    }
    this.#lens?.saw(rows);
    if (this.#changed.size > TOO_MANY) this.#reloaded = true;
    if (this.#reloaded) this.#changed.clear();
    if (glow && !document.hidden) this.#light(rows);
    this.#plan();
  }

  /** @param {PixelRow[]} rows */
  #light(rows) {
    const now = performance.now();
    const lens = this.#lens;
    const heeded = lens?.heeds ? rows.filter(([, , , , id]) => lens.heeds?.(id)) : rows;
    if (heeded.length && !this.#kindled) void this.#kindle();
    for (const [, x, y] of heeded) this.#sparks?.add(this.camera, x, y, now);
    if (heeded.length) for (const tell of this.strokes) tell(heeded);
  }

  async #kindle() {
    this.#kindled = true;
    // On a busy canvas strokes come before the first view is complete; their light can wait.
    await new Promise((done) => setTimeout(done, KINDLE_AFTER_MS));
    const loaded = await import('./highlights.js').catch(() => null);
    this.#kindled = loaded !== null;
    if (!loaded) return;
    const { art, overlay } = this.parts;
    this.#sparks = new loaded.Sparks();
    Object.assign(this.#sparks.canvas, { width: art.width, height: art.height });
    overlay.before(this.#sparks.veil.canvas, this.#sparks.canvas);
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

  /** A hand is on the canvas: glides end, and whatever steers the view lets go. */
  hold() {
    this.#flight = null;
    for (const tell of this.holds) tell();
  }

  /**
   * @param {number} factor
   * @param {{px: number, py: number}} [at] device pixels; the window's centre by default
   */
  zoomBy(factor, at = { px: this.camera.viewWidth / 2, py: this.camera.viewHeight / 2 }) {
    this.#flight = null;
    this.camera.zoomAt(this.camera.zoom * factor, at.px, at.py);
    this.#moved();
  }

  /**
   * @param {number} dx device pixels
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.#flight = null;
    this.camera.panBy(dx, dy);
    this.#moved();
  }

  /**
   * Lets the canvas run out after it was thrown.
   * @param {number} speedX device pixels per millisecond
   * @param {number} speedY
   */
  throwBy(speedX, speedY) {
    if (still.matches) return;
    this.#flight = coast(this.camera, speedX, speedY);
    this.#plan();
  }

  /**
   * Goes to a place; `cssCell` is the wanted size of a cell in CSS pixels, 0 for the whole canvas.
   * @param {number} x
   * @param {number} y
   * @param {number} [cssCell]
   */
  jumpTo(x, y, cssCell = this.camera.cssCell) {
    this.#flight = null;
    Object.assign(this.camera, { x, y, zoom: cssCell * this.camera.dpr });
    this.#moved();
  }

  /**
   * The same, with a glide for those who do not mind motion.
   * @param {number} x
   * @param {number} y
   * @param {number} [cssCell]
   * @param {number} [duration] milliseconds
   */
  flyTo(x, y, cssCell = this.camera.cssCell, duration = FLIGHT_MS) {
    if (still.matches || document.hidden) return this.jumpTo(x, y, cssCell);
    this.#flight = glide(this.camera, { x, y, zoom: cssCell * this.camera.dpr }, duration);
    this.#plan();
  }

  #moved() {
    this.camera.clamp();
    this.#redraw = true;
    this.#touch();
    this.#sparks?.veil.place(this.camera);
    this.parts.art.toggleAttribute('data-zoomed', !this.camera.fitted);
    for (const tell of this.moves) tell();
  }

  #touch() {
    this.#overlayDirty = true;
    this.#plan();
  }

  #plan() {
    if (!this.#planned) this.#planned = requestAnimationFrame((now) => this.#frame(now));
  }

  /** @param {number} now */
  #frame(now) {
    this.#planned = 0;
    const flight = this.#flight;
    if (flight) {
      const more = flight(now);
      this.#moved();
      if (!more && this.#flight === flight) this.#flight = null;
    }
    this.#draw(now);
    if (this.#flight || this.#changed.size || this.#sparks?.alive) this.#plan();
  }

  /** @param {number} now */
  #draw(now) {
    const anew = this.#reloaded || this.#changed.size > 0;
    if (this.#reloaded) {
      this.art.load(this.state, this.#lens);
      this.#changed.clear();
      this.#redraw = true;
    }
    if (this.#changed.size) this.art.change(this.camera, this.state, this.#take(), this.#lens, this.#redraw);
    if (this.#redraw) this.art.drawAll(this.camera);
    if (this.#redraw || this.#sparks?.alive) this.#sparks?.draw(this.camera, now);
    if (this.#overlayDirty) this.overlay.draw(this.camera);
    this.#reloaded = false;
    this.#redraw = false;
    this.#overlayDirty = false;
    if (anew) for (const tell of this.draws) tell();
  }

  /** The changes that are this frame's share. */
  #take() {
    const share = Math.max(AT_ONCE, Math.ceil(this.#changed.size / FRAMES));
    const taken = [];
    for (const index of this.#changed) {
      if (taken.length >= share) break;
      taken.push(index);
    }
    for (const index of taken) this.#changed.delete(index);
    return taken;
  }
}
