// Pixels in words, and what is said of the one at the keyboard cursor: after a pause, so that a held key does not flood. Loaded on first use.

import { getPixel } from '../shared/api.js';
import { agoTag } from '../shared/format.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').Pixel} Pixel */
/** @typedef {{x: number, y: number}} Point */

const PAUSE_MS = 300;
// On a slow connection the place and the colour are said without the painter.
const PAINTER_TIMEOUT_MS = 1500;

/**
 * Describes a pixel in one sentence: place, colour, painter and age.
 * @param {CanvasState} state
 * @param {Pixel} pixel
 */
export function describePixel(state, { x, y, color, agent_name: name, placed_at: at }) {
  const place = describePlace(state, { x, y }, color);
  if (!name) return translate('{place}, not painted yet', { place });
  return translate('{place}, painted by {name}, {time}', { place, name, time: agoTag(at).textContent ?? '' });
}

/**
 * Describes a pixel without its painter.
 * @param {CanvasState} state
 * @param {Point} point
 * @param {number} color
 */
export function describePlace(state, { x, y }, color) {
  return `${x}, ${y}: ${findColorName(state, color)}`;
}

/**
 * Returns the name of a colour in the page's language.
 * @param {CanvasState} state
 * @param {number} color
 */
export function findColorName({ palette }, color) {
  const name = palette[color]?.name;
  return name ? translate(name) : translate('some colour');
}

/**
 * Says why a link leads to no pixel.
 * @param {number} x not a number if the link has none
 * @param {number} y
 * @param {CanvasState} state
 */
export function describeMissingPixel(x, y, { width, height }) {
  if (Number.isNaN(x + y)) return translate('The link names no pixel: it should end in “pixel=64.20”, for example.');
  return translate('There is no pixel {x}, {y}: the canvas has {width} × {height} pixels, and the first is 0, 0.', { x, y, width, height });
}

export class PixelAnnouncer {
  #timer = 0;
  /** Numbers the pixels: an answer for an earlier one is dropped. */ #count = 0;

  /**
   * @param {CanvasState} state
   * @param {(text: string) => void} announce
   */
  constructor(state, announce) {
    this.state = state;
    this.announce = announce;
  }

  /** Announces a pixel after a pause; `null` cancels. @param {Point | null} point */
  announceSoon(point) {
    const count = ++this.#count;
    clearTimeout(this.#timer);
    if (point) this.#timer = setTimeout(() => void this.#announce(point, count), PAUSE_MS);
  }

  /**
   * @param {Point} point
   * @param {number} count
   */
  async #announce(point, count) {
    const text = await this.#describe(point);
    if (count === this.#count) this.announce(text);
  }

  /** @param {Point} point */
  async #describe(point) {
    const { state } = this;
    const place = describePlace(state, point, state.cells[point.y * state.width + point.x]);
    // The painter is known of the present only.
    if (state.shownSeq !== null) return place;
    const pixel = await Promise.race([getPixel(point.x, point.y).catch(() => null), new Promise((done) => setTimeout(() => done(null), PAINTER_TIMEOUT_MS))]);
    return pixel ? describePixel(state, pixel) : place;
  }
}
