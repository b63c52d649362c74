// Loads the plans of the canvas page: after the first view, or when they are first asked for.

import { waitForFirstView } from './canvas-page.js';
import { byId } from '../shared/dom.js';
import { loadLater, once, reportLoadFailure } from '../shared/lazy-load.js';
import { hashField } from '../shared/url-hash.js';

/** @typedef {import('../canvas-plans/plans.js').Plans} Plans */

export class PlanLoader {
  /** @type {Plans | null} */ #plans = null;
  #season = '';
  /** Events since the page was rendered with its list of plans, until the plans are loaded. @type {{plan_id: string, state: string}[]} */ #missed = [];
  #viewers = 1;
  #load = once(async () => {
    const { Plans } = await loadLater();
    this.#plans = new Plans(this.page);
    this.showWatching(this.#viewers);
    this.#plans.load(this.#season);
    for (const event of this.#missed.splice(0)) this.#plans.store.handleEvent(event);
    return this.#plans;
  });

  /** @param {import('./canvas-page.js').CanvasPage} page */
  constructor(page) {
    this.page = page;
    const { keys } = page.toolbar;
    keys.p = keys.P = () => this.#withPlans((plans) => plans.togglePanel());
    keys.o = keys.O = () => this.#withPlans((plans) => plans.toggleOutlined());
    byId('plans-toggle').addEventListener('click', keys.p);
    byId('plan-outlines').addEventListener('click', keys.o);
    page.plansAt = async (point) => (await this.#load()).plansAt(point);
    page.plansIn = async (region) => (await this.#load()).plansIn(region);
    window.addEventListener('hashchange', () => { if (hashField('plan')) void this.#load().catch(reportLoadFailure); });
  }

  /** @param {(plans: Plans) => void} act */
  #withPlans(act) {
    void this.#load().then(act, reportLoadFailure);
  }

  /** Shows the plans of a canvas that was loaded, for the first time or again. @param {string} season */
  showCanvas(season) {
    this.#season = season;
    if (this.#plans) this.#plans.load(season);
    else void waitForFirstView('plan').then(this.#load).catch(() => {});
  }

  /** @param {number} viewers */
  showWatching(viewers) {
    this.#viewers = viewers;
    if (this.#plans) this.#plans.store.viewers = viewers;
  }

  /** Repeats what may have failed while the server did not answer. */
  handleLive() {
    this.#plans?.repair();
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  handleEvent(kind, data) {
    if (kind === 'plan' && !this.#plans) this.#missed.push(data);
    if (kind === 'plan') this.#plans?.store.handleEvent(data);
    if (kind === 'pixels') this.#plans?.store.handlePlacements(data);
  }
}
