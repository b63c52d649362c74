// The plans of the season that have not ended, kept current by the event stream.

import { forgetAllPlans } from './all-plans.js';
import { LivePlan, hasEnded } from './live-plan.js';
import { getPlan, getPlans } from './plan-api.js';
import { ApiError } from '../shared/api.js';
import { takeFirst } from '../shared/first-view.js';
import { randomDelay } from '../shared/random-delay.js';

/** @typedef {import('../canvas/canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {import('../shared/types.js').PlanSummary} PlanSummary */

// A plan lasts a week at most after each change: older finished ones have ended, except a few that were changed.
const MAX_FINISHED_PAGES = 3;
const MAX_OPEN_PAGES = 50;
const RETRY_MS = 1000;
const MAX_TRIES = 5;
// Placements change the helpers, which only the server knows; a wrong count of damage is mended sooner.
const HELPERS_REFRESH_MS = 5000;
const DAMAGE_REFRESH_MS = 250;

export class PlanStore {
  /** @type {Map<string, LivePlan>} */ #plans = new Map();
  /** Requests under way; `isRepeated` if the answer may be outdated. @type {Map<string, {isRepeated: boolean}>} */ #requests = new Map();
  /** Plans with an event while the list was loading. @type {Set<string> | null} */ #changedMeanwhile = null;
  /** The order of the list, until the list changes. @type {LivePlan[] | null} */ #sorted = null;
  /** Plans that are loaded after a delay. @type {Set<string>} */ #delayed = new Set();
  #loadId = 0;
  /** The number of people who watch. */ viewers = 1;
  /** @type {'loading' | 'loaded' | 'failed'} */ phase = 'loading';
  /** The newest loading of the list. */ loading = Promise.resolve();
  /** Called after a change of a plan; `null` if the list itself changed. @type {((plan: LivePlan | null) => void)[]} */ listeners = [];

  /** @param {CanvasState} state */
  constructor(state) {
    this.state = state;
  }

  /** The plans, the newest first. */
  get all() {
    return (this.#sorted ??= [...this.#plans.values()].sort((a, b) => Date.parse(b.summary.created_at) - Date.parse(a.summary.created_at)));
  }

  /** @param {string} id */
  find(id) {
    return this.#plans.get(id);
  }

  /** Loads the list; pictures that are known are counted again, because placements may have been missed. */
  load() {
    for (const { progress } of this.#plans.values()) progress?.recount(this.state.liveCells, this.state.width);
    return (this.loading = this.#load());
  }

  async #load() {
    const loadId = ++this.#loadId;
    this.phase = 'loading';
    this.#changedMeanwhile = new Set();
    const lists = await Promise.all([fetchPages('open', MAX_OPEN_PAGES), fetchPages('finished', MAX_FINISHED_PAGES)]).catch(() => null);
    if (loadId !== this.#loadId) return;
    this.phase = lists ? 'loaded' : 'failed';
    if (lists) this.#replace(lists.flat().filter((plan) => !hasEnded(plan)));
    const changed = this.#changedMeanwhile;
    this.#changedMeanwhile = null;
    for (const id of changed) void this.refresh(id);
    this.#notify(null);
  }

  /** Forgets all plans, because a season ends those of the last one. */
  clear() {
    this.#loadId++;
    this.#plans.clear();
    this.#notify(null);
  }

  /** @param {PlanSummary[]} summaries */
  #replace(summaries) {
    const known = this.#plans;
    this.#plans = new Map(summaries.map((summary) => [summary.id, Object.assign(known.get(summary.id) ?? new LivePlan(summary), { summary })]));
    for (const plan of this.#plans.values()) if (plan.progress) void this.refresh(plan.id);
  }

  /** Loads a plan's picture unless it is known. @param {LivePlan} plan */
  request(plan) {
    if (!plan.progress && !this.#requests.has(plan.id)) void this.refresh(plan.id);
  }

  /** Loads a plan until its answer agrees with the canvas; a running request is repeated. @param {string} id */
  async refresh(id) {
    const running = this.#requests.get(id);
    if (running) return void (running.isRepeated = true);
    const request = { isRepeated: false };
    this.#requests.set(id, request);
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      request.isRepeated = false;
      const isSettled = await this.read(id);
      if (isSettled && !request.isRepeated) break;
      if (!isSettled) await new Promise((done) => setTimeout(done, RETRY_MS * tries));
    }
    this.#requests.delete(id);
  }

  /** Takes over the server's answer about a plan; returns whether it is final. @param {string} id */
  async read(id) {
    const loadId = this.#loadId;
    const answer = await getPlan(id).catch((error) => error);
    if (loadId !== this.#loadId) return false;
    if (answer instanceof ApiError && answer.status >= 400 && answer.status < 500 && answer.status !== 429) return this.#remove(id);
    if (answer instanceof Error) return false;
    if (hasEnded(answer.plan)) return this.#remove(id);
    const known = this.#plans.get(id);
    if (known && known.summary.version > answer.plan.version) return false;
    const plan = known ?? new LivePlan(answer.plan);
    const agrees = plan.setDetails(answer.plan, this.state);
    this.#plans.set(id, plan);
    this.#notify(known ? plan : null);
    return agrees;
  }

  /** @param {string} id */
  #remove(id) {
    if (this.#plans.delete(id)) this.#notify(null);
    return true;
  }

  /** @param {{plan_id: string, state: string}} event */
  handleEvent({ plan_id: id, state }) {
    forgetAllPlans();
    this.#changedMeanwhile?.add(id);
    if (state === 'closed' || state === 'expired') this.#remove(id);
    else this.#refreshLater(id);
  }

  /** Loads a plan after a delay, because all pages learn of its change at the same moment. @param {string} id */
  #refreshLater(id) {
    if (this.#delayed.has(id)) return;
    this.#delayed.add(id);
    setTimeout(() => {
      this.#delayed.delete(id);
      void this.refresh(id);
    }, randomDelay(this.viewers));
  }

  /** @param {PixelRow[]} rows */
  handlePlacements(rows) {
    for (const plan of this.#plans.values()) if (plan.progress) this.#applyPlacements(plan, rows);
  }

  /**
   * @param {LivePlan} plan
   * @param {PixelRow[]} rows
   */
  #applyPlacements(plan, rows) {
    let isChanged = false;
    for (const [, x, y, color] of rows) {
      if (!plan.covers(x, y)) continue;
      plan.isOutdated = true;
      if (plan.progress?.apply(x, y, color)) isChanged = true;
    }
    if (isChanged) plan.pace.record(plan.counts.left, Date.now());
    this.scheduleRefresh(plan);
    if (isChanged) this.#notify(plan);
  }

  /** Schedules what only the server knows: who helps, and which pixels were right before. @param {LivePlan} plan */
  scheduleRefresh(plan) {
    const isUncertain = plan.progress?.isUncertain;
    if (!isUncertain && !(plan.isOutdated && plan.isWatched)) return;
    plan.refreshTimer ||= setTimeout(() => {
      plan.refreshTimer = 0;
      if (this.#plans.has(plan.id)) void this.refresh(plan.id);
    }, (isUncertain ? DAMAGE_REFRESH_MS : HELPERS_REFRESH_MS) + randomDelay(this.viewers));
  }

  /** @param {LivePlan | null} plan */
  #notify(plan) {
    if (!plan) this.#sorted = null;
    for (const notify of this.listeners) notify(plan);
  }
}

/**
 * Loads the plans in a state, page by page.
 * @param {'open' | 'finished'} state
 * @param {number} maxPages
 */
async function fetchPages(state, maxPages) {
  /** @type {PlanSummary[]} */ const plans = [];
  let before = null;
  for (let page = 0; page < maxPages; page++) {
    const first = page ? null : takeFirst(`${state}_plans`);
    /** @type {import('../shared/types.js').PlanPage} */ const answer = first ?? await getPlans(state, before);
    plans.push(...answer.plans);
    before = answer.next_before;
    if (!before) break;
  }
  return plans;
}
