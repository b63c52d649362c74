// Changes what the canvas shows (paint, painters, age, contest, one agent's pixels) and explains it in the legend.

import { getAgent, getHeat } from '../shared/api.js';
import { css } from './paint-layer.js';
import { byId, el, nameTag, svg, swatch } from '../shared/dom.js';
import { hashField, setHashField } from '../shared/url-hash.js';
import { AGE_RAMP, AgeLens, CONTEST_RAMP, ContestLens, LightLens, PainterLens } from './heatmap-lenses.js';
import { icon } from '../shared/icons.js';
import { sigil } from '../people/avatar.js';
import { agoTag, count } from '../shared/format.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {PainterLens | AgeLens | ContestLens | LightLens} Look */

// A canvas of millions of pixels takes its time: one is told.
const PATIENCE_MS = 700;
const TICK_MS = 15000;
const NAMES_IN_LEGEND = 2;

export class Looks {
  /** @type {string | null} */ #lit = null;
  /** @type {Look | null} */ #look = null;
  #past;
  #run = 0;
  #select = /** @type {HTMLSelectElement} */ (byId('look'));
  #legend = byId('legend');

  /**
   * @param {CanvasView} view
   * @param {CanvasState} state
   * @param {import('../people/agent-names.js').Names} names
   */
  constructor(view, state, names) {
    this.view = view;
    this.state = state;
    this.names = names;
    this.#past = state.moment !== null;
    this.#select.disabled = this.#past;
    view.shows.push((past) => this.#showed(past));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.#lit && byId('inspect').hidden && !document.querySelector('dialog[open]')) this.light(null);
    }, true);
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** Someone chose a look. */
  chosen() {
    this.#kindle(null);
    this.#renew();
  }

  /** The canvas was loaded anew: what was counted along may have missed strokes. */
  renew() {
    if (this.#look || this.view.lens) this.#renew();
  }

  /** @param {string | null} id */
  light(id) {
    if (id === this.#lit) return;
    this.#kindle(id);
    this.#renew();
  }

  /** The address says who is in the light. @param {string | null} id */
  #kindle(id) {
    this.#lit = id;
    if (hashField('agent') !== id) setHashField('agent', id);
    for (const tell of this.view.lights) tell();
  }

  /**
   * What the look says of one pixel.
   * @param {{x: number, y: number}} spot
   * @returns {string | undefined}
   */
  say({ x, y }) {
    const index = y * this.state.width + x;
    const look = this.#look;
    if (look instanceof PainterLens || look instanceof LightLens) {
      const painters = look instanceof LightLens ? look.painters : look;
      const id = painters.ids[painters.owners[index]];
      return id ? this.names.of(id) ?? 'an agent' : 'nobody';
    }
    if (look instanceof AgeLens) return look.ageOf(index) === Infinity ? 'never painted' : ago(look.ageOf(index));
    if (look instanceof ContestLens) return times(look.strokes[index]);
    return undefined;
  }

  /** Heat is told of now only: while the past is shown, it is paint. @param {boolean} past */
  #showed(past) {
    if (past === this.#past) return;
    this.#past = past;
    this.#select.disabled = past;
    this.#renew();
  }

  async #renew() {
    const run = ++this.#run;
    const by = this.#lit ? 'painter' : this.#select.value;
    this.#select.toggleAttribute('data-other', this.#select.value !== 'paint');
    this.#look = null;
    if (this.#past || by === 'paint') {
      this.view.lens = null;
      return this.#explain();
    }
    /** @type {PixelRow[]} */ const meanwhile = [];
    const { state } = this;
    this.view.lens = { inkOf: (index) => state.inks[state.cells[index]], saw: (rows) => { meanwhile.push(...rows); } };
    const patience = setTimeout(() => { if (run === this.#run) this.#remark('Looking it up.'); }, PATIENCE_MS);
    const [heat] = await Promise.all([getHeat(by).catch(() => null), this.#learn()]);
    clearTimeout(patience);
    if (run !== this.#run) return;
    if (!heat || heat.width !== state.width || heat.height !== state.height) return this.#failed();
    for (const { id, name } of heat.agents ?? []) this.names.learn(id, name);
    this.#look = this.#make(by, heat);
    this.#look.saw(meanwhile.filter(([seq]) => seq > heat.version));
    this.view.lens = this.#look;
    this.#explain();
  }

  /** The name of the one in the light may be known to nobody here. */
  async #learn() {
    const id = this.#lit;
    if (!id) return;
    const body = await getAgent(id).catch(() => null);
    if (body) this.names.learn(id, body.agent.name);
  }

  /**
   * @param {string} by
   * @param {import('./heatmap-lenses.js').Heat} heat
   * @returns {Look}
   */
  #make(by, heat) {
    if (by === 'age') return new AgeLens(heat, this.state);
    if (by === 'contested') return new ContestLens(heat, this.state);
    const painters = new PainterLens(heat, this.state);
    return this.#lit ? new LightLens(painters, this.#lit) : painters;
  }

  #failed() {
    this.view.lens = null;
    this.#select.value = 'paint';
    this.#kindle(null);
    this.#explain();
    this.#remark('This view did not load.');
  }

  /** @param {string} text */
  #remark(text) {
    this.#legend.replaceChildren(el('span', {}, text));
    this.#legend.hidden = false;
  }

  /** Age goes on without strokes, and the order of the busiest changes with them. */
  #tick() {
    if (document.hidden || !this.#look) return;
    if (this.#look instanceof AgeLens) {
      this.#look.tick();
      this.view.lens = this.#look;
    }
    if (!this.#legend.contains(document.activeElement)) this.#explain();
  }

  #explain() {
    const look = this.#look;
    const legend = this.#legend;
    legend.hidden = !look;
    legend.toggleAttribute('data-chip', look instanceof LightLens);
    if (look instanceof LightLens) legend.replaceChildren(this.#chip(look));
    else if (look instanceof PainterLens) legend.replaceChildren(...this.#busiest(look));
    else if (look instanceof AgeLens) legend.replaceChildren('now', ramp(AGE_RAMP), ago(look.oldest).replace(' ago', ''));
    else if (look instanceof ContestLens) legend.replaceChildren('1 stroke', ramp(CONTEST_RAMP), count(look.most));
    else legend.replaceChildren();
  }

  /** @param {LightLens} look */
  #chip({ id, count: pixels }) {
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': 'Show all pixels again' }, icon('close'));
    close.addEventListener('click', () => {
      this.light(null);
      byId('art').focus();
    });
    const name = el('a', { href: `/agents/${encodeURIComponent(id)}` }, nameTag(this.names.of(id) ?? 'an agent'));
    return el('span', { class: 'chip', role: 'status' }, sigil(id), el('span', { class: 'chip-words' }, `${count(pixels)} ${pixels === 1 ? 'pixel' : 'pixels'} of `), name, close);
  }

  /** @param {PainterLens} look */
  #busiest(look) {
    const all = look.busiest(look.ids.length);
    const named = all.slice(0, NAMES_IN_LEGEND).map((owner) => {
      const id = look.ids[owner];
      const button = el('button', { type: 'button', class: 'plain' }, swatch(css(look.colorOf(owner))), nameTag(this.names.of(id) ?? 'An agent'));
      button.addEventListener('click', () => this.light(id));
      return button;
    });
    return all.length > named.length ? [...named, el('span', { class: 'quiet' }, `and ${count(all.length - named.length)} more`)] : named;
  }
}

/** @param {number[]} colors */
function ramp(colors) {
  return svg('svg', { class: 'ramp', viewBox: `0 0 ${colors.length} 1`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...colors.map((color, i) => svg('rect', { x: i, width: 1.02, height: 1, fill: css(color) })));
}

/** @param {number} age seconds */
function ago(age) {
  return agoTag(new Date(Date.now() - age * 1000).toISOString()).textContent ?? '';
}

/** @param {number} strokes */
function times(strokes) {
  return strokes === 0 ? 'never painted' : `${count(strokes)} ${strokes === 1 ? 'stroke' : 'strokes'}`;
}
