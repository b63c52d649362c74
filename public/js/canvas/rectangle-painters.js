// Counts who painted the pixels of a rectangle at the shown moment: loaded once, then kept current from the event stream.

import { contains, heightOf, isOnCanvas, widthOf } from './region.js';

/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{id: string, pixels: number}} PainterCount */
/** @typedef {'loaded' | 'failed' | 'too large'} Loaded  too large: too much was painted before the past moment */
/** @typedef {{x: number, y: number}} Point */

export class RectanglePainters {
  /** The id of the painter of each pixel, row by row; empty for unpainted pixels. @type {string[] | null} */ #owners = null;
  /** Placements that arrived before the owners. @type {PixelRow[]} */ #newer = [];
  /** The request under way or answered, which all callers share. @type {Promise<Loaded> | null} */ #loading = null;
  /** Numbers the requests: the answer to an older one is dropped. */ #requestId = 0;

  /**
   * @param {Region} region
   * @param {import('./canvas-state.js').CanvasState} state
   * @param {Pick<import('./card-parts.js').PageActions, 'names' | 'heatmaps'>} actions
   */
  constructor(region, state, { names, heatmaps }) {
    this.region = region;
    this.state = state;
    this.heatmaps = heatmaps;
    this.names = names;
  }

  /** Loads the painters unless they are known. */
  load() {
    return (this.#loading ??= this.#load());
  }

  /** @returns {Promise<Loaded>} */
  async #load() {
    const requestId = ++this.#requestId;
    const heatmap = await this.heatmaps.fetch('painter');
    if (requestId !== this.#requestId) return 'failed';
    if (heatmap === 'too large') return heatmap;
    if (!heatmap || !isOnCanvas(this.region, heatmap)) {
      this.#loading = null;
      return 'failed';
    }
    this.#readOwners(heatmap);
    this.#apply(this.#newer.splice(0).filter(([seq]) => seq > heatmap.version));
    return 'loaded';
  }

  /** @param {import('../shared/types.js').Heatmap} heatmap */
  #readOwners(heatmap) {
    const agents = heatmap.agents ?? [];
    for (const { id, name } of agents) this.names.learn(id, name);
    const { x1, y1, x2 } = this.region;
    this.#owners = [];
    for (let y = y1; y <= this.region.y2; y++) {
      const row = heatmap.values.slice(y * heatmap.width + x1, y * heatmap.width + x2 + 1);
      // Agents are numbered from 1; 0 is an unpainted pixel.
      this.#owners.push(...row.map((number) => agents[number - 1]?.id ?? ''));
    }
  }

  /** Forgets the painters, because placements may have been missed or another moment is shown. */
  clear() {
    this.#newer = [];
    this.#owners = null;
    this.#loading = null;
  }

  /** Takes live placements. Returns whether one changes the counts. @param {PixelRow[]} rows */
  handlePlacements(rows) {
    if (this.state.shownSeq !== null) return false;
    const inside = rows.filter(([, x, y]) => contains(this.region, { x, y }));
    if (this.#owners) this.#apply(inside);
    else this.#newer.push(...inside);
    return inside.length > 0;
  }

  /** @param {PixelRow[]} rows */
  #apply(rows) {
    const { x1, y1 } = this.region;
    for (const [, x, y, , id] of rows) if (this.#owners) this.#owners[(y - y1) * widthOf(this.region) + x - x1] = id;
  }

  /** The painters with the number of their pixels, the largest number first. @returns {PainterCount[]} */
  get counts() {
    /** @type {Map<string, number>} */ const pixels = new Map();
    for (const id of this.#owners ?? []) if (id) pixels.set(id, (pixels.get(id) ?? 0) + 1);
    return [...pixels].map(([id, count]) => ({ id, pixels: count })).sort((a, b) => b.pixels - a.pixels);
  }

  /** Returns a pixel of a painter, amid its others in the order of rows. @param {string} id @returns {Point} */
  placeOf(id) {
    const own = (this.#owners ?? []).flatMap((owner, index) => (owner === id ? [index] : []));
    return this.#pointAt(own[own.length >> 1] ?? 0);
  }

  /** The pixel in the middle of the rectangle. */
  get middle() {
    return { x: this.region.x1 + (widthOf(this.region) >> 1), y: this.region.y1 + (heightOf(this.region) >> 1) };
  }

  /** @param {number} index */
  #pointAt(index) {
    const width = widthOf(this.region);
    return { x: this.region.x1 + index % width, y: this.region.y1 + Math.floor(index / width) };
  }
}
