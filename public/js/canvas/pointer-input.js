// Pointer input on the canvas: wheel, drag, pinch, click and double click move the view.

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {{x: number, y: number}} Point */

/**
 * @typedef {object} PointerHandlers
 * @property {(point: Point) => void} prepare called before `pick`
 * @property {(point: Point) => void} pick
 * @property {() => void} undoPick
 * @property {(point: Point | null) => void} hover
 * @property {(event: PointerEvent) => boolean} takePointer returns whether another part takes a pressed pointer over
 * @property {() => boolean} isDrawing while this is true, every tap counts at once: two quick ones do not zoom
 */

const TAP_TOLERANCE_PX = 5;
const DOUBLE_TAP_MS = 320;
const DOUBLE_TAP_PX = 24;
// A card opens after the time in which most people click twice; that of slower ones is closed again.
const PICK_DELAY_MS = 220;
const SLOW_DOUBLE_CLICK_MS = 600;
// Inertia starts from the last moves before the release; after a pause there is none.
const INERTIA_WINDOW_MS = 80;
const MIN_INERTIA_SPEED = 0.15;

export class PointerInput {
  /** @type {Map<number, {x: number, y: number}>} */ #pointers = new Map();
  /** @type {{x: number, y: number, at: number}[]} */ #recentMoves = [];
  #lastTap = { x: 0, y: 0, at: -Infinity };
  #isTouch = false;
  #pickTimer = 0;
  #pickedAt = -Infinity;
  #distance = 0;
  #hasPinched = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {CanvasView} view
   * @param {PointerHandlers} handlers
   */
  constructor(canvas, view, handlers) {
    this.canvas = canvas;
    this.view = view;
    this.handlers = handlers;
    canvas.addEventListener('wheel', (event) => this.#handleWheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.#handleDown(event));
    canvas.addEventListener('pointermove', (event) => this.#handleMove(event));
    canvas.addEventListener('pointerup', (event) => this.#handleUp(event));
    canvas.addEventListener('pointercancel', (event) => this.#removePointer(event));
    canvas.addEventListener('pointerleave', () => handlers.hover(null));
    canvas.addEventListener('dblclick', (event) => { if (!this.#isTouch && !handlers.isDrawing()) this.#zoomInAt(event); });
  }

  /** @param {WheelEvent} event */
  #handleWheel(event) {
    event.preventDefault();
    this.view.takeControl();
    const step = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 240 : 1;
    // A trackpad pinch arrives as a wheel event with ctrl and much smaller steps.
    const speed = event.ctrlKey ? 0.012 : 0.0018;
    const factor = Math.exp(-Math.max(-400, Math.min(400, event.deltaY * step)) * speed);
    this.view.zoomBy(factor, this.view.toDevicePixels(event.clientX, event.clientY));
  }

  /** @param {PointerEvent} event */
  #handleDown(event) {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    if (this.#pointers.size === 0 && this.handlers.takePointer(event)) return;
    this.view.takeControl();
    this.#isTouch = event.pointerType !== 'mouse';
    if (this.#pointers.size === 0) {
      this.#recentMoves = [];
      this.#distance = 0;
      this.#hasPinched = false;
    }
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#pointers.size === 2) this.#hasPinched = true;
    this.canvas.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #handleMove(event) {
    const from = this.#pointers.get(event.pointerId);
    if (event.pointerType === 'mouse') this.handlers.hover(this.view.pixelAt(event.clientX, event.clientY));
    if (!from) return;
    const to = { x: event.clientX, y: event.clientY };
    if (this.#pointers.size === 2) this.#handlePinch(event.pointerId, from, to);
    else if (this.#pointers.size === 1) this.#handleDrag(from, to);
    this.#pointers.set(event.pointerId, to);
  }

  /**
   * @param {Point} from
   * @param {Point} to
   */
  #handleDrag(from, to) {
    this.#distance += Math.hypot(to.x - from.x, to.y - from.y);
    if (this.#distance < TAP_TOLERANCE_PX || this.view.camera.isFitted) return;
    this.canvas.toggleAttribute('data-dragging', true);
    const { dpr } = this.view.camera;
    this.view.panBy((to.x - from.x) * dpr, (to.y - from.y) * dpr);
    const at = performance.now();
    this.#recentMoves.push({ ...to, at });
    while (at - this.#recentMoves[0].at > INERTIA_WINDOW_MS) this.#recentMoves.shift();
  }

  /** Starts inertia if the drag was still moving at its end. */
  #startInertia() {
    const [first] = this.#recentMoves;
    const last = this.#recentMoves.at(-1);
    this.#recentMoves = [];
    if (!first || !last || last.at === first.at || performance.now() - last.at > INERTIA_WINDOW_MS / 2) return;
    const { dpr } = this.view.camera;
    const [x, y] = [(last.x - first.x) / (last.at - first.at), (last.y - first.y) / (last.at - first.at)];
    if (Math.hypot(x, y) > MIN_INERTIA_SPEED) this.view.startInertia(x * dpr, y * dpr);
  }

  /**
   * @param {number} id
   * @param {Point} from
   * @param {Point} to
   */
  #handlePinch(id, from, to) {
    const other = [...this.#pointers].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const before = Math.max(1, Math.hypot(from.x - other.x, from.y - other.y));
    const after = Math.max(1, Math.hypot(to.x - other.x, to.y - other.y));
    const { dpr } = this.view.camera;
    this.view.panBy((to.x - from.x) / 2 * dpr, (to.y - from.y) / 2 * dpr);
    this.view.zoomBy(after / before, this.view.toDevicePixels((to.x + other.x) / 2, (to.y + other.y) / 2));
  }

  /** @param {PointerEvent} event */
  #handleUp(event) {
    const held = this.#pointers.has(event.pointerId);
    const tapped = held && this.#pointers.size === 1 && this.#distance < TAP_TOLERANCE_PX && !this.#hasPinched;
    this.#removePointer(event);
    if (held && !tapped && !this.#hasPinched && this.#pointers.size === 0) this.#startInertia();
    if (tapped && event.pointerType !== 'mouse' && !this.handlers.isDrawing() && this.#isDoubleTap(event)) return this.#zoomInAt(event);
    const point = tapped ? this.view.pixelAt(event.clientX, event.clientY) : null;
    if (point && this.handlers.isDrawing()) this.handlers.pick(point);
    else if (point) this.#pickSoon(point);
  }

  /** Marks a pixel at once, and opens it unless a second click follows. @param {Point} point */
  #pickSoon(point) {
    this.view.setPointer(point);
    this.handlers.prepare(point);
    clearTimeout(this.#pickTimer);
    this.#pickTimer = setTimeout(() => {
      this.#pickedAt = performance.now();
      this.view.setPointer(null);
      this.handlers.pick(point);
    }, PICK_DELAY_MS);
  }

  #cancelPick() {
    clearTimeout(this.#pickTimer);
    this.view.setPointer(null);
    if (performance.now() - this.#pickedAt < SLOW_DOUBLE_CLICK_MS) this.handlers.undoPick();
  }

  /** Returns whether this tap completes a double tap; browsers disagree about touch double clicks. @param {PointerEvent} event */
  #isDoubleTap({ clientX: x, clientY: y, timeStamp: at }) {
    const last = this.#lastTap;
    const twice = at - last.at < DOUBLE_TAP_MS && Math.hypot(x - last.x, y - last.y) < DOUBLE_TAP_PX;
    this.#lastTap = { x, y, at: twice ? -Infinity : at };
    return twice;
  }

  /** @param {PointerEvent} event */
  #removePointer(event) {
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size === 0) this.canvas.removeAttribute('data-dragging');
  }

  /** @param {MouseEvent} event */
  #zoomInAt(event) {
    this.#cancelPick();
    const { camera } = this.view;
    const { px, py } = this.view.toDevicePixels(event.clientX, event.clientY);
    const held = camera.cellAt(px, py);
    // From the whole canvas, a factor of two is hardly visible: the first step goes to where single pixels can be told apart.
    const cell = camera.isFitted ? Math.max(camera.cell * 2, 8 * camera.dpr) : camera.cell * 2;
    this.view.animateTo(
      held.x - (px - camera.viewWidth / 2) / cell,
      held.y - (py - camera.viewHeight / 2) / cell,
      cell / camera.dpr,
    );
  }
}
