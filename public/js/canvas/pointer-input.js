// Hands on the canvas: wheel, drag, pinch, click and double click, turned into moves of the view.

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {{x: number, y: number}} Spot */

const SLACK_PX = 5;
const DOUBLE_TAP_MS = 320;
const DOUBLE_TAP_PX = 24;
// A throw is what the hand did in its last moments; one that had stopped throws nothing.
const THROW_MS = 80;
const THROW_FROM = 0.15;

export class CanvasInput {
  /** @type {Map<number, {x: number, y: number}>} */ #fingers = new Map();
  /** @type {{x: number, y: number, at: number}[]} */ #trail = [];
  #tap = { x: 0, y: 0, at: -Infinity };
  #touched = false;
  #travel = 0;
  #pinched = false;

  /**
   * @param {HTMLCanvasElement} art
   * @param {CanvasView} view
   * @param {{pick: (spot: Spot) => void, hover: (spot: Spot | null) => void}} told
   */
  constructor(art, view, told) {
    this.art = art;
    this.view = view;
    this.told = told;
    art.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    art.addEventListener('pointerdown', (event) => this.#down(event));
    art.addEventListener('pointermove', (event) => this.#move(event));
    art.addEventListener('pointerup', (event) => this.#up(event));
    art.addEventListener('pointercancel', (event) => this.#release(event));
    art.addEventListener('pointerleave', () => told.hover(null));
    art.addEventListener('dblclick', (event) => { if (!this.#touched) this.#double(event); });
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    this.view.hold();
    const step = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 240 : 1;
    // A pinch on a trackpad arrives as a wheel with ctrl and much smaller steps.
    const speed = event.ctrlKey ? 0.012 : 0.0018;
    const factor = Math.exp(-Math.max(-400, Math.min(400, event.deltaY * step)) * speed);
    this.view.zoomBy(factor, this.view.toDevice(event.clientX, event.clientY));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    this.view.hold();
    this.#touched = event.pointerType !== 'mouse';
    if (this.#fingers.size === 0) {
      this.#trail = [];
      this.#travel = 0;
      this.#pinched = false;
    }
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size === 2) this.#pinched = true;
    this.art.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const from = this.#fingers.get(event.pointerId);
    if (event.pointerType === 'mouse') this.told.hover(this.view.locate(event.clientX, event.clientY));
    if (!from) return;
    const to = { x: event.clientX, y: event.clientY };
    if (this.#fingers.size === 2) this.#pinch(event.pointerId, from, to);
    else if (this.#fingers.size === 1) this.#drag(from, to);
    this.#fingers.set(event.pointerId, to);
  }

  /**
   * @param {Spot} from
   * @param {Spot} to
   */
  #drag(from, to) {
    this.#travel += Math.hypot(to.x - from.x, to.y - from.y);
    if (this.#travel < SLACK_PX || this.view.camera.fitted) return;
    this.art.toggleAttribute('data-dragging', true);
    const { dpr } = this.view.camera;
    this.view.panBy((to.x - from.x) * dpr, (to.y - from.y) * dpr);
    const at = performance.now();
    this.#trail.push({ ...to, at });
    while (at - this.#trail[0].at > THROW_MS) this.#trail.shift();
  }

  /** The hand let go of a canvas in motion. */
  #throw() {
    const [first] = this.#trail;
    const last = this.#trail.at(-1);
    this.#trail = [];
    if (!first || !last || last.at === first.at || performance.now() - last.at > THROW_MS / 2) return;
    const { dpr } = this.view.camera;
    const [x, y] = [(last.x - first.x) / (last.at - first.at), (last.y - first.y) / (last.at - first.at)];
    if (Math.hypot(x, y) > THROW_FROM) this.view.throwBy(x * dpr, y * dpr);
  }

  /**
   * @param {number} id
   * @param {Spot} from
   * @param {Spot} to
   */
  #pinch(id, from, to) {
    const other = [...this.#fingers].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const before = Math.max(1, Math.hypot(from.x - other.x, from.y - other.y));
    const after = Math.max(1, Math.hypot(to.x - other.x, to.y - other.y));
    const { dpr } = this.view.camera;
    this.view.panBy((to.x - from.x) / 2 * dpr, (to.y - from.y) / 2 * dpr);
    this.view.zoomBy(after / before, this.view.toDevice((to.x + other.x) / 2, (to.y + other.y) / 2));
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const held = this.#fingers.has(event.pointerId);
    const tapped = held && this.#fingers.size === 1 && this.#travel < SLACK_PX && !this.#pinched;
    this.#release(event);
    if (held && !tapped && !this.#pinched && this.#fingers.size === 0) this.#throw();
    if (tapped && event.pointerType !== 'mouse' && this.#tappedTwice(event)) return this.#double(event);
    const spot = tapped ? this.view.locate(event.clientX, event.clientY) : null;
    if (spot) this.told.pick(spot);
  }

  /** Fingers have no double click that every browser agrees on. @param {PointerEvent} event */
  #tappedTwice({ clientX: x, clientY: y, timeStamp: at }) {
    const last = this.#tap;
    const twice = at - last.at < DOUBLE_TAP_MS && Math.hypot(x - last.x, y - last.y) < DOUBLE_TAP_PX;
    this.#tap = { x, y, at: twice ? -Infinity : at };
    return twice;
  }

  /** @param {PointerEvent} event */
  #release(event) {
    this.#fingers.delete(event.pointerId);
    if (this.#fingers.size === 0) this.art.removeAttribute('data-dragging');
  }

  /** @param {MouseEvent} event */
  #double(event) {
    const { camera } = this.view;
    const { px, py } = this.view.toDevice(event.clientX, event.clientY);
    const held = camera.cellAt(px, py);
    // From the whole canvas, twice as near is hardly nearer: the first step goes to where pixels can be told apart.
    const cell = camera.fitted ? Math.max(camera.cell * 2, 8 * camera.dpr) : camera.cell * 2;
    this.view.flyTo(
      held.x - (px - camera.viewWidth / 2) / cell,
      held.y - (py - camera.viewHeight / 2) / cell,
      cell / camera.dpr,
    );
  }
}
