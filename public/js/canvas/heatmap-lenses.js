// Lenses that colour the canvas by painter, age or number of placements, kept current from the event stream.

import { toPixel } from './canvas-state.js';
import { hashId } from '../people/avatar.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {import('../shared/types.js').Heatmap} Heatmap */

const HUES = 12;
const TONES = [[0.74, 0.13], [0.56, 0.13]];
// Unpainted cells: neither light nor dark enough to look like a value.
const NO_VALUE_COLOR = toPixel(0x25211d);
// Ramps of rising lightness, which read the same for every kind of colour vision.
export const AGE_RAMP = [0xf1f8fa, 0xb5dbe6, 0x76b3cb, 0x4585a8, 0x275a80, 0x16365a].map(toPixel);
export const CONTESTED_RAMP = [0x43175f, 0x7d2473, 0xb83b5c, 0xe4663a, 0xf9a52c, 0xfbf3a8].map(toPixel);
const MIN_RANGE_S = 3600;
const MIN_CONTESTED = 8;

/**
 * Returns the colour at a position of a ramp.
 * @param {number[]} ramp
 * @param {number} t 0 to 1
 */
function interpolate(ramp, t) {
  const place = Math.min(1, Math.max(0, t)) * (ramp.length - 1);
  const [from, to, part] = [ramp[Math.floor(place)], ramp[Math.ceil(place)], place % 1];
  const mix = (/** @type {number} */ shift) => Math.round((from >> shift & 255) * (1 - part) + (to >> shift & 255) * part) << shift;
  return (0xff000000 | mix(16) | mix(8) | mix(0)) >>> 0;
}

/** Colours each cell by its painter; the agents with most pixels get the most distinct colours. */
export class PainterLens {
  /** @type {string[]} index 0 is no agent */ ids = [''];
  /** @type {Map<string, number>} */ #indexOf = new Map();
  #colors = [NO_VALUE_COLOR];
  /** @type {Set<number>} */ #usedSlots = new Set();

  /**
   * @param {Heatmap} heatmap
   * @param {CanvasState} state
   */
  constructor(heatmap, state) {
    this.state = state;
    this.owners = Uint32Array.from(heatmap.values);
    this.counts = [0];
    for (const { id } of heatmap.agents ?? []) this.#addAgent(id);
    for (const owner of this.owners) this.counts[owner]++;
    for (const index of this.mostPixels(this.ids.length)) this.#colors[index] = this.#assignColor(this.ids[index]);
  }

  /** @param {number} index */
  colorAt(index) {
    return this.#colors[this.owners[index]] ?? NO_VALUE_COLOR;
  }

  /** @param {PixelRow[]} rows */
  applyPlacements(rows) {
    for (const [, x, y, , id] of rows) {
      if (!this.state.contains(x, y)) continue;
      const cell = y * this.state.width + x;
      const owner = this.indexOf(id) || this.#addAgent(id);
      this.#colors[owner] ??= this.#assignColor(id);
      this.counts[this.owners[cell]]--;
      this.counts[owner]++;
      this.owners[cell] = owner;
    }
  }

  /** Returns the index of an agent; 0 if it has painted nothing. @param {string} id */
  indexOf(id) {
    return this.#indexOf.get(id) ?? 0;
  }

  /** @param {number} owner */
  colorOf(owner) {
    return this.#colors[owner] ?? NO_VALUE_COLOR;
  }

  /** Returns the indexes of the agents with the most pixels, largest first. @param {number} max */
  mostPixels(max) {
    const all = this.ids.map((_, index) => index).filter((index) => index > 0 && this.counts[index] > 0);
    return all.sort((a, b) => this.counts[b] - this.counts[a]).slice(0, max);
  }

  /** @param {string} id */
  #addAgent(id) {
    this.#indexOf.set(id, this.ids.length);
    this.counts.push(0);
    return this.ids.push(id) - 1;
  }

  /** Derives an agent's colour from its id; a colour that is taken gives way to the next free one. @param {string} id */
  #assignColor(id) {
    const slots = HUES * TONES.length;
    let slot = hashId(id) % slots;
    for (let tries = 0; this.#usedSlots.has(slot) && tries < slots; tries++) slot = (slot + 5) % slots;
    this.#usedSlots.add(slot);
    const [lightness, chroma] = TONES[slot % TONES.length];
    return oklch(lightness, chroma, Math.floor(slot / TONES.length) * 360 / HUES + 15);
  }
}

/** Keeps the colours of one agent's pixels and dims all others. */
export class AgentLens {
  /**
   * @param {PainterLens} painters
   * @param {string} id
   */
  constructor(painters, id) {
    this.painters = painters;
    this.id = id;
    this.dimColors = Uint32Array.from(painters.state.palette, ({ hex }) => interpolate([toPixel(parseInt(hex.slice(1, 7), 16)), toPixel(0x1c1814)], 0.84));
  }

  /** @param {number} index */
  colorAt(index) {
    const { owners, state } = this.painters;
    const lit = owners[index] !== 0 && owners[index] === this.painters.indexOf(this.id);
    return (lit ? state.paletteColors : this.dimColors)[state.cells[index]];
  }

  /** @param {PixelRow[]} rows */
  applyPlacements(rows) {
    this.painters.applyPlacements(rows);
  }

  /** @param {string} id */
  shouldHighlight(id) {
    return id === this.id;
  }

  get count() {
    return this.painters.counts[this.painters.indexOf(this.id)] ?? 0;
  }
}

/** Colours each cell by age: fresh paint is light, old paint is dark. */
export class AgeLens {
  #now = 0;

  /**
   * @param {Heatmap} heatmap
   * @param {CanvasState} state
   * @param {() => number} readClock returns the shown time in seconds, from any start
   */
  constructor(heatmap, state, readClock) {
    this.state = state;
    const start = readClock();
    this.readClock = () => readClock() - start;
    // Seconds relative to the creation of this lens; negative infinity for cells never painted.
    this.placed = Float32Array.from(heatmap.values, (age) => (age < 0 ? -Infinity : -age));
    this.oldest = heatmap.values.reduce((max, age) => Math.max(max, age), MIN_RANGE_S);
  }

  /** Moves the lens's clock to the shown time. */
  updateNow() {
    this.#now = this.readClock();
  }

  /** @param {number} index */
  ageOf(index) {
    return this.#now - this.placed[index];
  }

  /** @param {number} index */
  colorAt(index) {
    const age = this.ageOf(index);
    return age === Infinity ? NO_VALUE_COLOR : interpolate(AGE_RAMP, Math.log1p(Math.max(0, age)) / Math.log1p(this.oldest));
  }

  /** @param {PixelRow[]} rows */
  applyPlacements(rows) {
    const now = this.readClock();
    for (const [, x, y] of rows) if (this.state.contains(x, y)) this.placed[y * this.state.width + x] = now;
  }
}

/** Colours each cell by its number of placements. */
export class ContestedLens {
  /**
   * @param {Heatmap} heatmap
   * @param {CanvasState} state
   */
  constructor(heatmap, state) {
    this.state = state;
    this.counts = Uint32Array.from(heatmap.values);
    this.max = heatmap.values.reduce((max, count) => Math.max(max, count), MIN_CONTESTED);
  }

  /** @param {number} index */
  colorAt(index) {
    const count = this.counts[index];
    return count ? interpolate(CONTESTED_RAMP, Math.log(count) / Math.log(this.max)) : NO_VALUE_COLOR;
  }

  /** @param {PixelRow[]} rows */
  applyPlacements(rows) {
    for (const [, x, y] of rows) if (this.state.contains(x, y)) this.counts[y * this.state.width + x]++;
  }
}

/**
 * Returns a colour from OKLCH (lightness, chroma, hue), in which equal steps look equal (Ottosson 2020).
 * @param {number} lightness
 * @param {number} chroma
 * @param {number} hue degrees
 */
function oklch(lightness, chroma, hue) {
  const [a, b] = [chroma * Math.cos(hue * Math.PI / 180), chroma * Math.sin(hue * Math.PI / 180)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const byte = (/** @type {number} */ linear) => {
    const bright = Math.min(1, Math.max(0, linear));
    return Math.round(255 * (bright <= 0.0031308 ? 12.92 * bright : 1.055 * bright ** (1 / 2.4) - 0.055));
  };
  const red = byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = byte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return toPixel(red << 16 | green << 8 | blue);
}
