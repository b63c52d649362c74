// Plans on the canvas page: the list, the outlines, and the plan that is selected. Loaded after the first view.

import { forgetAllPlans } from './all-plans.js';
import { PlanChips } from './plan-chips.js';
import { PlanOutlines } from './plan-outlines.js';
import { PlanPanel } from './plan-panel.js';
import { describeProgress } from './plan-row.js';
import { PlanStore } from './plan-store.js';
import { visitPlan } from './visit-plan.js';
import { cardPlace } from '../canvas/card-position.js';
import { overlaps } from '../canvas/region.js';
import { byId } from '../shared/dom.js';
import { translate } from '../shared/translate.js';
import { hashField, setHashField } from '../shared/url-hash.js';

/** @typedef {import('../canvas/canvas-page.js').CanvasPage} CanvasPage */
/** @typedef {import('./live-plan.js').LivePlan} LivePlan */

const STORAGE_KEY = 'caraplace-plan-outlines';
// More outlines than this would hide the canvas from a visitor who has not chosen them.
const MAX_OUTLINES_BY_DEFAULT = 30;
const PLAN_ID = /^plan_\w{1,64}$/;

export class Plans {
  /** @type {LivePlan | null} */ #selected = null;
  /** The plan in the URL, until it is selected. */ #wanted = '';
  /** The visitor's choice; `null` before one. @type {boolean | null} */ #choice = readChoice();
  #season = '';

  /** @param {CanvasPage} page */
  constructor(page) {
    this.page = page;
    this.store = new PlanStore(page.state);
    this.outlines = new PlanOutlines(page.view, this.store, byId('layers'));
    this.panel = new PlanPanel(this.store, {
      toggle: (plan) => this.#select(plan === this.#selected ? null : plan, { moves: true }),
      pointAt: (plan) => this.outlines.pointAt(plan),
      announce: (text) => this.#announce(text),
      toggleOutlined: () => this.toggleOutlined(),
      retry: () => void this.store.load(),
      beforeOpen: () => this.#makeRoom(),
    });
    this.chips = new PlanChips((id) => void this.show(id));
    this.store.listeners.push((plan) => this.#handleChange(plan));
    this.panel.isPast = page.state.shownSeq !== null;
    page.view.momentListeners.push((isPast) => this.#handleMoment(isPast));
    window.addEventListener('hashchange', () => this.#readHash());
    document.addEventListener('keydown', (event) => this.#handleKey(event), true);
    this.#readHash();
  }

  /** Shows the plans of a canvas that was loaded, for the first time or again. @param {string} season */
  load(season) {
    if (season !== this.#season) this.store.clear();
    // Events may have been missed if the canvas is loaded again.
    if (this.#season) forgetAllPlans();
    this.#season = season;
    void this.store.load();
  }

  /** Loads the list again if it has failed. */
  repair() {
    if (this.store.phase === 'failed') void this.store.load();
  }

  togglePanel() {
    if (this.panel.isOpen) this.panel.close();
    else this.panel.open({ focus: true });
  }

  /** Shows or hides the outlines, also at the next visit. */
  toggleOutlined() {
    const isOn = !this.outlines.isOn;
    this.#choice = isOn;
    storeChoice(isOn);
    this.#updateOutlined();
    this.#announce(translate(isOn ? 'The outlines of plans are shown.' : 'The outlines of plans are hidden.'));
  }

  #updateOutlined() {
    const isOn = this.#choice ?? this.store.all.filter(({ isOpen }) => isOpen).length <= MAX_OUTLINES_BY_DEFAULT;
    if (isOn !== this.outlines.isOn) this.outlines.isOn = isOn;
    this.panel.showOutlined(isOn);
    byId('plan-outlines').setAttribute('aria-pressed', String(isOn));
  }

  /** Selects a plan that another part of the page names, and shows it in the list; one that has ended has only its page. @param {string} id */
  async show(id) {
    const plan = await this.#find(id);
    if (!plan) return location.assign(`/plans/${encodeURIComponent(id)}`);
    this.panel.open({ focus: true });
    this.#select(plan, { moves: true });
    this.panel.showRow(plan, true);
  }

  /** Returns a plan, which the list may lack yet; `undefined` if it has ended. @param {string} id */
  async #find(id) {
    if (!this.store.find(id)) await this.store.read(id);
    return this.store.find(id);
  }

  /**
   * Returns the open plans that want another colour for a pixel.
   * @param {{x: number, y: number}} point
   */
  async plansAt({ x, y }) {
    await this.store.loading;
    const covering = this.store.all.filter((plan) => plan.isOpen && plan.covers(x, y));
    await Promise.all(covering.map((plan) => (plan.progress ? null : this.store.read(plan.id))));
    return covering.flatMap(({ id, summary, progress }) => {
      const index = progress?.indexOf(x, y) ?? -1;
      return progress && index >= 0 && progress.isWrong(index) ? [{ id, title: summary.title, color: progress.cells[index] }] : [];
    });
  }

  /** Returns the plans that overlap a rectangle, the newest first. @param {import('../shared/types.js').Region} region */
  async plansIn(region) {
    await this.store.loading;
    return this.store.all.filter((plan) => overlaps(plan.region, region)).map(({ id, summary }) => ({ id, title: summary.title }));
  }

  /**
   * @param {LivePlan | null} plan
   * @param {{moves: boolean}} how whether the camera moves to the plan
   */
  #select(plan, { moves }) {
    this.#selected = plan;
    this.#wanted = '';
    this.panel.selected = plan;
    if (plan) this.panel.showEnded('');
    this.outlines.select(plan);
    this.panel.scheduleRender();
    if (hashField('plan') !== (plan?.id ?? null)) setHashField('plan', plan?.id ?? null);
    if (!plan) return;
    if (moves) visitPlan(this.page.view, plan.region, this.panel.node);
    const { title } = plan.summary;
    this.#announce(plan.isFinished ? translate('{title}: finished.', { title }) : translate('{title}: {progress} right.', { title, progress: describeProgress(plan) }));
  }

  /** @param {boolean} isPast */
  #handleMoment(isPast) {
    this.panel.isPast = isPast;
    this.panel.scheduleRender();
  }

  /** @param {LivePlan | null} plan the plan that changed; `null` if the list did */
  #handleChange(plan) {
    if (plan) return this.chips.learn(plan.id, plan.summary.title);
    for (const { id, summary } of this.store.all) this.chips.learn(id, summary.title);
    this.#updateOutlined();
    const selected = this.#selected;
    if (selected && this.store.find(selected.id) !== selected) this.#handleEnd(selected.id);
    if (this.#wanted && this.store.phase === 'loaded') void this.#selectWanted(this.#wanted);
  }

  /** The selected plan has ended, or was loaded again. @param {string} id */
  #handleEnd(id) {
    const again = this.store.find(id) ?? null;
    this.#select(again, { moves: false });
    if (!again) this.#announce(translate('The plan has ended.'));
  }

  /** Selects the plan in the URL, as a link does; a link that names a place, too, keeps it. */
  #readHash() {
    const id = hashField('plan') ?? '';
    if (id === (this.#selected?.id ?? '')) return;
    this.#wanted = PLAN_ID.test(id) ? id : '';
    if (!this.#wanted) return this.#selected ? this.#select(null, { moves: false }) : undefined;
    this.panel.open({ focus: false });
    if (this.store.phase === 'loaded') void this.#selectWanted(id);
  }

  /** @param {string} id */
  async #selectWanted(id) {
    this.#wanted = '';
    const plan = await this.#find(id);
    if (!plan) {
      setHashField('plan', null);
      return this.panel.showEnded(id);
    }
    this.#select(plan, { moves: !hashField('x') });
    this.panel.showRow(plan, false);
  }

  /** Ends the selection with Escape, after cards and dialogs. @param {KeyboardEvent} event */
  #handleKey(event) {
    const { activeElement } = document;
    if (event.key !== 'Escape' || !this.#selected || this.panel.node.contains(activeElement)) return;
    if (activeElement !== document.body && !byId('canvas-area').contains(activeElement)) return;
    if (!byId('inspect').hidden || hashField('agent') || document.querySelector('dialog[open]')) return;
    this.#select(null, { moves: false });
  }

  /** On small screens the card, the list and the chat are sheets at the same place; on wide ones the card and the list are in one column. */
  #makeRoom() {
    this.page.sheet.close();
    const card = this.page.inspector?.card;
    if (card?.isOpen && cardPlace() !== 'over') card.close();
  }

  /** @param {string} text */
  #announce(text) {
    byId('announcement').textContent = text;
  }
}

/** @returns {boolean | null} */
function readChoice() {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === null ? null : stored === 'on';
  } catch {
    return null;
  }
}

/** @param {boolean} isOn */
function storeChoice(isOn) {
  try {
    localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off');
  } catch { /* private windows: the choice lasts as long as the page */ }
}
