// Switches between lenses (paint, painters, age, contested, one agent's pixels) and explains them in the legend.

import { AGE_RAMP, AgeLens, AgentLens, CONTESTED_RAMP, ContestedLens, PainterLens } from './heatmap-lenses.js';
import { toCss } from './paint-layer.js';
import { renderPainterLegend } from './painter-legend.js';
import { renderAvatar } from '../people/avatar.js';
import { getAgent } from '../shared/api.js';
import { archive } from '../shared/season.js';
import { byId, el, nameTag, svg } from '../shared/dom.js';
import { agoTag, formatCount, formatDuration } from '../shared/format.js';
import { icon } from '../shared/icons.js';
import { showNotice } from '../shared/lazy-load.js';
import { translate, translateNodes } from '../shared/translate.js';
import { hashField, setHashField } from '../shared/url-hash.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {PainterLens | AgeLens | ContestedLens | AgentLens} ActiveLens */

// A canvas of millions of pixels takes a while to load: the legend says so after this time.
const LOADING_NOTICE_MS = 700;
const TICK_MS = 15000;
const PAST_TICK_MS = 1000;

export class LensSelector {
  /** @type {string | null} */ #highlightedId = null;
  /** @type {ActiveLens | null} */ #lens = null;
  #requestId = 0;
  /** The lens that returns with the live canvas, because it cannot show the past moment. @type {string | null} */ #suspended = null;
  #select = /** @type {HTMLSelectElement} */ (byId('lens'));
  #legend = byId('legend');

  /**
   * @param {CanvasView} view
   * @param {CanvasState} state
   * @param {import('../people/agent-names.js').AgentNames} names
   * @param {import('./heatmap-source.js').HeatmapSource} heatmaps
   */
  constructor(view, state, names, heatmaps) {
    this.view = view;
    this.state = state;
    this.names = names;
    this.heatmaps = heatmaps;
    view.momentListeners.push((isPast) => this.#handleMoment(isPast));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.#highlightedId && byId('inspect').hidden && !document.querySelector('dialog[open], :popover-open, #guide :focus')) this.highlightAgent(null);
    }, true);
    setInterval(() => this.#tick(), TICK_MS);
    setInterval(() => { if (this.#isPast) this.#tick(); }, PAST_TICK_MS);
  }

  get #isPast() {
    return this.state.shownSeq !== null;
  }

  /** Applies the lens that was chosen in the menu, or that a link names. */
  selectLens() {
    this.#setHighlighted(null);
    this.#load();
  }

  /** Loads the lens again after the canvas was reloaded, because its counts may lack placements. */
  reload() {
    if (this.#lens || this.view.renderer.lens) this.#load();
  }

  /** @param {string | null} id */
  highlightAgent(id) {
    if (id === this.#highlightedId) return;
    this.#setHighlighted(id);
    this.#load();
  }

  /** Highlights an agent of the legend's list, which is gone then. @param {string} id */
  #highlightFromList(id) {
    byId('pixels').focus({ preventScroll: true });
    this.highlightAgent(id);
  }

  /** Sets the highlighted agent, also in the URL. @param {string | null} id */
  #setHighlighted(id) {
    this.#highlightedId = id;
    if (hashField('agent') !== id) setHashField('agent', id);
    for (const notify of this.view.agentHighlightListeners) notify();
  }

  /**
   * Describes one pixel in terms of the lens; `undefined` without a lens.
   * @param {{x: number, y: number}} point
   * @returns {string | undefined}
   */
  describe({ x, y }) {
    const index = y * this.state.width + x;
    const lens = this.#lens;
    if (lens instanceof PainterLens || lens instanceof AgentLens) {
      const painters = lens instanceof AgentLens ? lens.painters : lens;
      const id = painters.ids[painters.owners[index]];
      return id ? this.names.nameOf(id) ?? translate('an agent') : translate('nobody');
    }
    if (lens instanceof AgeLens) return lens.ageOf(index) === Infinity ? translate('never painted') : formatAge(lens.ageOf(index), this.#isPast);
    if (lens instanceof ContestedLens) return formatPlacements(lens.counts[index]);
    return undefined;
  }

  /** Shows the lens of another moment. @param {boolean} isPast */
  #handleMoment(isPast) {
    if (!isPast && this.#suspended !== null) {
      this.#select.value = this.#suspended;
      this.#select.disabled = false;
      this.#suspended = null;
    }
    if (this.#lens || this.#highlightedId || this.#select.value !== 'paint') this.#load();
    else if (!isPast) this.#showLegend();
  }

  async #load() {
    const requestId = ++this.#requestId;
    const by = this.#highlightedId ? 'painter' : /** @type {'paint' | import('./heatmap-source.js').Metric} */ (this.#select.value);
    this.#select.toggleAttribute('data-active', this.#select.value !== 'paint');
    setHashField('lens', this.#select.value === 'paint' ? null : this.#select.value);
    this.#lens = null;
    if (by === 'paint') {
      this.view.renderer.lens = null;
      return this.#showLegend();
    }
    /** @type {PixelRow[]} */ const newer = [];
    const { state } = this;
    this.view.renderer.lens = { colorAt: (index) => state.paletteColors[state.cells[index]], applyPlacements: (rows) => { newer.push(...rows); } };
    const timer = setTimeout(() => { if (requestId === this.#requestId) this.#showLegendText(translate('Loading…')); }, LOADING_NOTICE_MS);
    const [heatmap, isKnown] = await Promise.all([this.heatmaps.fetch(by), this.#learnName()]);
    clearTimeout(timer);
    if (requestId !== this.#requestId) return;
    if (!isKnown) return this.#handleUnknownAgent();
    if (heatmap === 'too large') return this.#suspend();
    if (!heatmap || heatmap.width !== state.width || heatmap.height !== state.height) return this.#showFailure();
    for (const { id, name } of heatmap.agents ?? []) this.names.learn(id, name);
    this.#lens = this.#createLens(by, heatmap);
    this.#lens.applyPlacements(newer.filter(([seq]) => seq > heatmap.version));
    this.view.renderer.lens = this.#lens;
    this.#showLegend();
  }

  /** Switches the lens off until the live canvas returns, because the season is too long to compute it for a past moment. */
  #suspend() {
    this.#suspended ??= this.#select.value;
    this.view.renderer.lens = null;
    if (this.#highlightedId) this.#setHighlighted(null);
    this.#select.value = 'paint';
    this.#select.disabled = true;
    this.#select.removeAttribute('data-active');
    this.#showLegend();
    showNotice(translate('Too much was painted before this moment for a lens. It returns with the live canvas.'));
  }

  /** Loads the highlighted agent's name, which may be unknown here; returns false if there is no such agent. */
  async #learnName() {
    const id = this.#highlightedId;
    if (!id || this.names.nameOf(id) !== undefined) return true;
    const body = await getAgent(id).catch((error) => (error.status === 404 ? null : undefined));
    if (body) this.names.learn(id, body.agent.name);
    return body !== null;
  }

  /** Shows all pixels where a link names an agent that does not exist. */
  #handleUnknownAgent() {
    showNotice(translate('No agent has the id in this link, so the canvas shows the pixels of all.'));
    this.highlightAgent(null);
  }

  /**
   * @param {string} by
   * @param {import('../shared/types.js').Heatmap} heatmap
   * @returns {ActiveLens}
   */
  #createLens(by, heatmap) {
    if (by === 'age') return new AgeLens(heatmap, this.state, this.heatmaps.createClock());
    if (by === 'contested') return new ContestedLens(heatmap, this.state);
    const painters = new PainterLens(heatmap, this.state);
    return this.#highlightedId ? new AgentLens(painters, this.#highlightedId) : painters;
  }

  #showFailure() {
    this.view.renderer.lens = null;
    this.#select.value = 'paint';
    setHashField('lens', null);
    this.#setHighlighted(null);
    this.#showLegend();
    this.#showLegendText(translate('This lens did not load. Choose it again to retry.'));
  }

  /** @param {string} text */
  #showLegendText(text) {
    this.#legend.replaceChildren(el('span', {}, text));
    this.#legend.hidden = false;
  }

  /** Updates ages and the ranking, which change without placements too. */
  #tick() {
    if (document.hidden || (archive && !this.#isPast) || !this.#lens) return;
    if (this.#lens instanceof AgeLens) {
      this.#lens.updateNow();
      this.view.renderer.lens = this.#lens;
    }
    if (!this.#legend.matches(':has(:focus, :popover-open)')) this.#showLegend();
  }

  #showLegend() {
    const lens = this.#lens;
    const legend = this.#legend;
    legend.hidden = !lens;
    legend.toggleAttribute('data-agent', lens instanceof AgentLens);
    if (lens instanceof AgentLens) legend.replaceChildren(this.#renderAgentChip(lens));
    else if (lens instanceof PainterLens) legend.replaceChildren(...renderPainterLegend(lens, this.names, (id) => this.#highlightFromList(id)));
    else if (lens instanceof AgeLens) legend.replaceChildren(this.#isPast ? translate('then') : translate(archive ? 'the end' : 'now'), renderRamp(AGE_RAMP), formatAge(lens.oldest, this.#isPast).replace(' ago', ''));
    else if (lens instanceof ContestedLens) legend.replaceChildren(translate('1 placement'), renderRamp(CONTESTED_RAMP), formatCount(lens.max));
    else legend.replaceChildren();
  }

  /** @param {AgentLens} lens */
  #renderAgentChip({ id, count: pixels }) {
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Show all pixels again') }, icon('close'));
    close.addEventListener('click', () => {
      this.highlightAgent(null);
      byId('pixels').focus();
    });
    const name = el('a', { href: `/agents/${encodeURIComponent(id)}` }, nameTag(this.names.nameOf(id) ?? translate('an agent')));
    const text = translateNodes(pixels === 1 ? '{count} pixel of {name}' : '{count} pixels of {name}', { count: formatCount(pixels), name });
    return el('span', { class: 'chip', role: 'status' }, renderAvatar(id), ...text, close);
  }
}

/** @param {number[]} colors */
function renderRamp(colors) {
  return svg('svg', { class: 'ramp', viewBox: `0 0 ${colors.length} 1`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...colors.map((color, i) => svg('rect', { x: i, width: 1.02, height: 1, fill: toCss(color) })));
}

/** Returns an age in words. It counts to the shown past moment, and in an ended season to the end. @param {number} age seconds @param {boolean} isPast */
function formatAge(age, isPast) {
  if (isPast || archive) return translate(isPast ? '{duration} before' : '{duration} before the end', { duration: formatDuration(age * 1000) });
  return agoTag(new Date(Date.now() - age * 1000).toISOString()).textContent ?? '';
}

/** @param {number} placements */
function formatPlacements(placements) {
  if (placements === 0) return translate('never painted');
  return translate(placements === 1 ? '1 placement' : '{count} placements', { count: formatCount(placements) });
}
