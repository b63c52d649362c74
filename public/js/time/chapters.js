// The chapters of the season: its quarters by placements, its busiest hours, its disputes and its finished plans, as ticks
// and as a list.

import { drawTicks } from './activity-graph.js';
import { readAllPlans } from '../canvas-plans/all-plans.js';
import { byId, el, nameTag } from '../shared/dom.js';
import { formatCount, formatShortMoment } from '../shared/format.js';
import { placeAtButton } from '../shared/popover.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('./time-scale.js').TimeScale} TimeScale */
/** @typedef {{time: number, title: string, isPlan?: boolean}} Chapter  the title of a plan is text of an author */
/** @typedef {import('../shared/types.js').PlanSummary} PlanSummary */

const HOUR_MS = 3600e3;
const BUSIEST_HOURS = 3;
const MAX_DISPUTES = 3;
// Fewer pixels are a coincidence.
const MIN_DISPUTE_PIXELS = 20;
// A season in which agents always paint over each other has no hour that stands out.
const DISPUTE_TIMES_USUAL = 3;
const MAX_PLANS = 8;

export class Chapters {
  /** @type {TimeScale | null} */ #scale = null;
  /** @type {Chapter[]} */ #plans = [];
  #arePlansLoaded = false;
  #menu = byId('time-chapters-menu');
  #list = el('ol', {});
  #note = el('p', { class: 'muted', role: 'status' });

  /** @param {(time: number) => void} visit shows a moment */
  constructor(visit) {
    this.visit = visit;
    this.#menu.append(el('h2', { class: 'section-title' }, translate('Chapters')), this.#list, this.#note);
    placeAtButton(this.#menu, byId('time-chapters'));
    this.#menu.addEventListener('beforetoggle', (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === 'open') this.#open();
    });
    // The finished plans are loaded when the visitor comes to the time bar, and are brought up to date by opening the list.
    for (const name of ['pointerenter', 'focusin']) byId('time').addEventListener(name, () => { if (!this.#arePlansLoaded) void this.#loadPlans(); });
  }

  /** @param {TimeScale} scale */
  setScale(scale) {
    if (scale.season !== this.#scale?.season) {
      this.#plans = [];
      this.#arePlansLoaded = false;
    }
    this.#scale = scale;
    drawTicks(this.#all.map(({ time }) => scale.fraction(time)));
  }

  /** The chapters in the order of their times. @returns {Chapter[]} */
  get #all() {
    const scale = this.#scale;
    if (!scale?.total) return [];
    return [...quartersOf(scale), ...busiestHoursOf(scale), ...disputesOf(scale), ...this.#plans].sort((a, b) => a.time - b.time);
  }

  #open() {
    this.#render();
    void this.#loadPlans();
  }

  async #loadPlans() {
    const season = this.#scale?.season;
    if (!season) return;
    if (!this.#arePlansLoaded) this.#note.textContent = translate('Loading the finished plans…');
    const plans = await readAllPlans().catch(() => null);
    const scale = this.#scale;
    if (!scale || scale.season !== season) return;
    if (plans) this.#plans = finishedPlansOf(plans, scale);
    this.#arePlansLoaded = plans !== null;
    this.#note.textContent = plans ? '' : translate('The finished plans did not load. Open this list again to retry.');
    this.setScale(scale);
    this.#render();
  }

  #render() {
    const focused = [...this.#list.querySelectorAll('button')].findIndex((button) => button === document.activeElement);
    const all = this.#all;
    this.#list.replaceChildren(...all.map((chapter) => this.#renderChapter(chapter)));
    if (focused >= 0) this.#list.querySelectorAll('button')[Math.min(focused, all.length - 1)]?.focus();
    if (!all.length) this.#list.append(el('li', { class: 'muted' }, translate('Nothing has been painted yet.')));
  }

  /** @param {Chapter} chapter */
  #renderChapter({ time, title, isPlan }) {
    const words = isPlan ? translateNodes('Plan finished: {title}', { title: nameTag(title) }) : [title];
    const stamp = new Date(time).toISOString();
    const button = el('button', { type: 'button', class: 'plain' }, el('span', {}, ...words), el('time', { class: 'num', datetime: stamp }, formatShortMoment(time)));
    button.addEventListener('click', () => {
      this.#menu.hidePopover();
      this.visit(time);
    });
    return el('li', {}, button);
  }
}

/** @param {TimeScale} scale @returns {Chapter[]} */
function quartersOf(scale) {
  return [1, 2, 3, 4].map((quarter) => ({
    time: scale.timeOfPlacement(scale.total * quarter / 4),
    title: quarter === 4 && scale.hasEnded ? translate('The last pixel') : translate('{percent} % of the pixels', { percent: quarter * 25 }),
  }));
}

/** Returns the sums of numbers per step in each hour, or in each step of a season whose steps are longer. @param {TimeScale} scale @param {number[]} numbers */
function hoursOf(scale, numbers) {
  const steps = Math.max(1, Math.round(HOUR_MS / scale.stepMs));
  return Array.from({ length: Math.ceil(numbers.length / steps) }, (_, hour) => ({
    time: scale.start + hour * steps * scale.stepMs,
    pixels: numbers.slice(hour * steps, (hour + 1) * steps).reduce((sum, number) => sum + number, 0),
  }));
}

/** Returns whether a season is long enough for hours to stand out. @param {TimeScale} scale */
const hasHours = (scale) => scale.span >= 2 * BUSIEST_HOURS * HOUR_MS;

/** Returns the hours with most placements; none in a season of a few hours. @param {TimeScale} scale @returns {Chapter[]} */
function busiestHoursOf(scale) {
  if (!hasHours(scale)) return [];
  const busiest = hoursOf(scale, scale.counts).filter(({ pixels }) => pixels > 0).sort((a, b) => b.pixels - a.pixels).slice(0, BUSIEST_HOURS);
  // The steps of a long season are longer than an hour.
  const isHour = scale.stepMs < 1.5 * HOUR_MS;
  return busiest.map(({ time, pixels }) => ({ time, title: translate(isHour ? 'A busy hour: {count} pixels' : 'A busy time: {count} pixels', { count: formatCount(pixels) }) }));
}

/**
 * Returns the largest disputes: hours in which agents painted over each other's pixels at least three times as often as in the
 * mean of all hours with placements. Such hours one after the other are one dispute. None in a season of a few hours.
 * @param {TimeScale} scale
 * @returns {Chapter[]}
 */
function disputesOf(scale) {
  if (!hasHours(scale)) return [];
  const active = hoursOf(scale, scale.counts).filter(({ pixels }) => pixels > 0).length;
  const hours = hoursOf(scale, scale.overpainted);
  const total = hours.reduce((sum, { pixels }) => sum + pixels, 0);
  const enough = Math.max(MIN_DISPUTE_PIXELS, DISPUTE_TIMES_USUAL * total / Math.max(1, active));
  /** @type {{time: number, pixels: number}[]} */ const disputes = [];
  for (const [index, { time, pixels }] of hours.entries()) {
    if (pixels < enough) continue;
    const last = disputes.at(-1);
    if (last && hours[index - 1].pixels >= enough) last.pixels += pixels;
    else disputes.push({ time, pixels });
  }
  const largest = disputes.sort((a, b) => b.pixels - a.pixels).slice(0, MAX_DISPUTES);
  return largest.map(({ time, pixels }) => ({ time, title: translate('A dispute: {count} pixels painted over', { count: formatCount(pixels) }) }));
}

/** Returns the plans of the season that were finished last. @param {PlanSummary[]} plans @param {TimeScale} scale @returns {Chapter[]} */
function finishedPlansOf(plans, scale) {
  const finished = plans.filter((plan) => isOfSeason(plan, scale)).flatMap(({ title, created_at: begin, finished_at: end }) => (
    // Nothing was achieved if the picture was there before the plan.
    end && end !== begin ? [{ time: Date.parse(end), title, isPlan: true }] : []));
  return finished.sort((a, b) => b.time - a.time).slice(0, MAX_PLANS);
}

/** Returns whether a plan began in the season: the list has those of other seasons, too. @param {PlanSummary} plan @param {TimeScale} scale */
function isOfSeason({ created_at: begin }, scale) {
  const time = Date.parse(begin);
  return time >= scale.opened && (!scale.hasEnded || time <= scale.now);
}
