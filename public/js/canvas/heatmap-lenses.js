// Other ways to see the canvas: who painted each pixel, how long ago, and how often; kept current from the stream.

import { ink } from './canvas-state.js';
import { idNumber } from '../people/avatar.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/**
 * @typedef {object} Heat
 * @property {number} width
 * @property {number} height
 * @property {number} version
 * @property {number[]} values
 * @property {{id: string, name: string}[]} [agents]
 */

const HUES = 12;
const TONES = [[0.74, 0.13], [0.56, 0.13]];
// Bare canvas: neither light nor dark enough to be taken for a value.
const NOTHING = ink(0x25211d);
// Single ramps whose lightness only rises: they read the same for every kind of colour vision.
export const AGE_RAMP = [0xf1f8fa, 0xb5dbe6, 0x76b3cb, 0x4585a8, 0x275a80, 0x16365a].map(ink);
export const CONTEST_RAMP = [0x43175f, 0x7d2473, 0xb83b5c, 0xe4663a, 0xf9a52c, 0xfbf3a8].map(ink);
const CLOSEST_DAY_S = 3600;
const LEAST_CONTEST = 8;

/**
 * @param {number[]} ramp
 * @param {number} t 0 to 1
 */
function along(ramp, t) {
  const place = Math.min(1, Math.max(0, t)) * (ramp.length - 1);
  const [from, to, part] = [ramp[Math.floor(place)], ramp[Math.ceil(place)], place % 1];
  const mix = (/** @type {number} */ shift) => Math.round((from >> shift & 255) * (1 - part) + (to >> shift & 255) * part) << shift;
  return (0xff000000 | mix(16) | mix(8) | mix(0)) >>> 0;
}

/** Each painter has a colour; the busiest are told apart best. */
export class PainterLens {
  /** @type {string[]} index 0 is nobody */ ids = [''];
  /** @type {Map<string, number>} */ #indexOf = new Map();
  #inks = [NOTHING];
  /** @type {Set<number>} */ #taken = new Set();

  /**
   * @param {Heat} heat
   * @param {CanvasState} state
   */
  constructor(heat, state) {
    this.state = state;
    this.owners = Uint32Array.from(heat.values);
    this.counts = [0];
    for (const { id } of heat.agents ?? []) this.#enter(id);
    for (const owner of this.owners) this.counts[owner]++;
    for (const index of this.busiest(this.ids.length)) this.#inks[index] = this.#inkFor(this.ids[index]);
  }

  /** @param {number} index */
  inkOf(index) {
    return this.#inks[this.owners[index]] ?? NOTHING;
  }

  /** @param {PixelRow[]} rows */
  saw(rows) {
    for (const [, x, y, , id] of rows) {
      if (!this.state.has(x, y)) continue;
      const cell = y * this.state.width + x;
      const owner = this.indexOf(id) || this.#enter(id);
      this.#inks[owner] ??= this.#inkFor(id);
      this.counts[this.owners[cell]]--;
      this.counts[owner]++;
      this.owners[cell] = owner;
    }
  }

  /** 0 for one who has painted nothing. @param {string} id */
  indexOf(id) {
    return this.#indexOf.get(id) ?? 0;
  }

  /** @param {number} owner */
  colorOf(owner) {
    return this.#inks[owner] ?? NOTHING;
  }

  /** The indexes of those with the most pixels. @param {number} most */
  busiest(most) {
    const all = this.ids.map((_, index) => index).filter((index) => index > 0 && this.counts[index] > 0);
    return all.sort((a, b) => this.counts[b] - this.counts[a]).slice(0, most);
  }

  /** @param {string} id */
  #enter(id) {
    this.#indexOf.set(id, this.ids.length);
    this.counts.push(0);
    return this.ids.push(id) - 1;
  }

  /** A painter's colour comes from its id, and gives way only to a busier one that has it already. @param {string} id */
  #inkFor(id) {
    const slots = HUES * TONES.length;
    let slot = idNumber(id) % slots;
    for (let tries = 0; this.#taken.has(slot) && tries < slots; tries++) slot = (slot + 5) % slots;
    this.#taken.add(slot);
    const [lightness, chroma] = TONES[slot % TONES.length];
    return oklch(lightness, chroma, Math.floor(slot / TONES.length) * 360 / HUES + 15);
  }
}

/** One painter's pixels keep their colour, the rest of the room goes dark. */
export class LightLens {
  /**
   * @param {PainterLens} painters
   * @param {string} id
   */
  constructor(painters, id) {
    this.painters = painters;
    this.id = id;
    this.dim = Uint32Array.from(painters.state.palette, ({ hex }) => along([ink(parseInt(hex.slice(1, 7), 16)), ink(0x1c1814)], 0.84));
  }

  /** @param {number} index */
  inkOf(index) {
    const { owners, state } = this.painters;
    const lit = owners[index] !== 0 && owners[index] === this.painters.indexOf(this.id);
    return (lit ? state.inks : this.dim)[state.cells[index]];
  }

  /** @param {PixelRow[]} rows */
  saw(rows) {
    this.painters.saw(rows);
  }

  /** @param {string} id */
  heeds(id) {
    return id === this.id;
  }

  get count() {
    return this.painters.counts[this.painters.indexOf(this.id)] ?? 0;
  }
}

/** Fresh paint is light, old paint dark. */
export class AgeLens {
  #start = performance.now();
  #now = 0;

  /**
   * @param {Heat} heat
   * @param {CanvasState} state
   */
  constructor(heat, state) {
    this.state = state;
    // Seconds since this look began; far below zero where nobody ever painted.
    this.placed = Float32Array.from(heat.values, (age) => (age < 0 ? -Infinity : -age));
    this.oldest = heat.values.reduce((most, age) => Math.max(most, age), CLOSEST_DAY_S);
  }

  /** Lets time pass. */
  tick() {
    this.#now = (performance.now() - this.#start) / 1000;
  }

  /** @param {number} index */
  ageOf(index) {
    return this.#now - this.placed[index];
  }

  /** @param {number} index */
  inkOf(index) {
    const age = this.ageOf(index);
    return age === Infinity ? NOTHING : along(AGE_RAMP, Math.log1p(Math.max(0, age)) / Math.log1p(this.oldest));
  }

  /** @param {PixelRow[]} rows */
  saw(rows) {
    const now = (performance.now() - this.#start) / 1000;
    for (const [, x, y] of rows) if (this.state.has(x, y)) this.placed[y * this.state.width + x] = now;
  }
}

/** The more often a pixel was painted, the hotter it is. */
export class ContestLens {
  /**
   * @param {Heat} heat
   * @param {CanvasState} state
   */
  constructor(heat, state) {
    this.state = state;
    this.strokes = Uint32Array.from(heat.values);
    this.most = heat.values.reduce((most, strokes) => Math.max(most, strokes), LEAST_CONTEST);
  }

  /** @param {number} index */
  inkOf(index) {
    const strokes = this.strokes[index];
    return strokes ? along(CONTEST_RAMP, Math.log(strokes) / Math.log(this.most)) : NOTHING;
  }

  /** @param {PixelRow[]} rows */
  saw(rows) {
    for (const [, x, y] of rows) if (this.state.has(x, y)) this.strokes[y * this.state.width + x]++;
  }
}

/**
 * A colour by lightness, chroma and hue, in which equal steps look equal.
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
  return ink(red << 16 | green << 8 | blue);
}
