// The canvas by keyboard: a pointer that walks over the pixels, Enter to ask, + − 0 to zoom.

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
   * @param {{pick: (spot: Spot) => void, hover: (spot: Spot | null) => void}} told
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
    if (!this.#act(event.key, event.shiftKey)) return;
    event.preventDefault();
  }

  /**
   * @param {string} key
   * @param {boolean} far
   * @returns {boolean} whether the key meant something here
   */
  #act(key, far) {
    if (key in ARROWS) this.#walk(ARROWS[key], far ? LONG_STEP : 1);
    else if (key === '+' || key === '=') this.#zoom(ZOOM_STEP);
    else if (key === '-' || key === '_') this.#zoom(1 / ZOOM_STEP);
    else if (key === '0') this.view.fit();
    else if ((key === 'Enter' || key === ' ') && this.#at) this.told.pick(this.#at);
    else return false;
    return true;
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
