// The canvas by keyboard: a pointer that walks over the pixels, Enter to ask, + − 0 to zoom, and what else the room offers.

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {{x: number, y: number}} Spot */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const LONG_STEP = 8;
export const ZOOM_STEP = 1.5;

export class CanvasKeys {
  /** @type {Spot | null} */ #at = null;

  /**
   * @param {HTMLCanvasElement} art
   * @param {CanvasView} view
   * @param {{pick: (spot: Spot) => void, hover: (spot: Spot | null) => void, keys: Record<string, (() => void) | undefined>}} told
   */
  constructor(art, view, told) {
    this.view = view;
    this.told = told;
    art.addEventListener('keydown', (event) => this.#key(event));
    art.addEventListener('blur', () => this.#leave());
    // A mouse takes over from the keys: two pointers at once would only confuse.
    art.addEventListener('pointerdown', () => this.#leave());
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.told.keys[event.key] ?? this.#move(event.key, event.shiftKey);
    if (!act) return;
    event.preventDefault();
    act();
  }

  /**
   * @param {string} key
   * @param {boolean} far
   * @returns {(() => void) | null} what the key does here
   */
  #move(key, far) {
    const move = this.#moveOf(key, far);
    return move && (() => {
      this.view.hold();
      move();
    });
  }

  /**
   * @param {string} key
   * @param {boolean} far
   * @returns {(() => void) | null}
   */
  #moveOf(key, far) {
    const at = this.#at;
    if (key in ARROWS) return () => this.#walk(ARROWS[key], far ? LONG_STEP : 1);
    if (key === '+' || key === '=') return () => this.#zoom(ZOOM_STEP);
    if (key === '-' || key === '_') return () => this.#zoom(1 / ZOOM_STEP);
    if (key === '0') return () => this.view.fit();
    return at && (key === 'Enter' || key === ' ') ? () => this.told.pick(at) : null;
  }

  /**
   * @param {[number, number]} direction
   * @param {number} step
   */
  #walk([dx, dy], step) {
    const { camera, state } = this.view;
    const from = this.#at ?? { x: Math.floor(camera.x), y: Math.floor(camera.y) };
    this.#at = {
      x: Math.min(state.width - 1, Math.max(0, from.x + dx * step)),
      y: Math.min(state.height - 1, Math.max(0, from.y + dy * step)),
    };
    // From near, the view walks along, so that the pointer never leaves it.
    if (!camera.fitted) this.view.jumpTo(this.#at.x + 0.5, this.#at.y + 0.5);
    this.view.point(this.#at);
    this.told.hover(this.#at);
  }

  /** @param {number} factor */
  #zoom(factor) {
    if (!this.#at) return this.view.zoomBy(factor);
    this.view.zoomBy(factor);
    this.view.jumpTo(this.#at.x + 0.5, this.#at.y + 0.5);
  }

  #leave() {
    this.#at = null;
    this.view.point(null);
    this.told.hover(null);
  }
}
