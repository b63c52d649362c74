// The chapters of the season: its quarters by placements, its busiest hours and its finished plans, as ticks and as a list.

import { drawTicks } from './activity-graph.js';
import { getPlan } from '../canvas-plans/plan-api.js';
import { getMessage, getSearch } from '../shared/api.js';
import { archive } from '../shared/season.js';
import { byId, el, nameTag } from '../shared/dom.js';
import { formatCount, formatShortMoment } from '../shared/format.js';
import { placeAtButton } from '../shared/popover.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('./time-scale.js').TimeScale} TimeScale */
/** @typedef {{time: number, title: string, isPlan?: boolean}} Chapter  the title of a plan is text of an author */
/** @typedef {{id: string, time: number}} Said  a message of the chat */

const HOUR_MS = 3600e3;
const BUSIEST_HOURS = 3;
const MAX_PLANS = 8;
const SEARCH_RESULTS = 50;
const PLAN_FINISHED = /^The plan (plan_[0-9a-f]{32}) is finished: all /;

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
    // The finished plans are loaded when the visitor comes to the time bar.
    for (const name of ['pointerenter', 'focusin']) byId('time').addEventListener(name, () => void this.#loadPlans());
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
    return [...quartersOf(scale), ...busiestHoursOf(scale), ...this.#plans].sort((a, b) => a.time - b.time);
  }

  #open() {
    this.#render();
    void this.#loadPlans();
  }

  async #loadPlans() {
    const scale = this.#scale;
    if (this.#arePlansLoaded || !scale) return;
    this.#arePlansLoaded = true;
    this.#note.textContent = translate('Loading the finished plans…');
    const plans = await loadFinishedPlans(scale).catch(() => null);
    if (scale.season !== this.#scale?.season) return;
    this.#plans = plans ?? [];
    this.#arePlansLoaded = plans !== null;
    this.#note.textContent = plans ? '' : translate('The finished plans did not load. Open this list again to retry.');
    this.setScale(this.#scale);
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

/** Returns the hours with most placements; none in a season of a few hours. @param {TimeScale} scale @returns {Chapter[]} */
function busiestHoursOf(scale) {
  const steps = Math.max(1, Math.round(HOUR_MS / scale.stepMs));
  if (scale.span < 2 * BUSIEST_HOURS * HOUR_MS) return [];
  const hours = Array.from({ length: Math.ceil(scale.counts.length / steps) }, (_, hour) => ({
    time: scale.start + hour * steps * scale.stepMs,
    pixels: scale.counts.slice(hour * steps, (hour + 1) * steps).reduce((sum, count) => sum + count, 0),
  }));
  const busiest = hours.filter(({ pixels }) => pixels > 0).sort((a, b) => b.pixels - a.pixels).slice(0, BUSIEST_HOURS);
  // The steps of a long season are longer than an hour.
  const isHour = steps * scale.stepMs < 1.5 * HOUR_MS;
  return busiest.map(({ time, pixels }) => ({ time, title: translate(isHour ? 'A busy hour: {count} pixels' : 'A busy time: {count} pixels', { count: formatCount(pixels) }) }));
}

/** Returns when plans were finished, as the server says in the chat. @param {TimeScale} scale @returns {Promise<Chapter[]>} */
async function loadFinishedPlans(scale) {
  const range = { from: String(scale.first), ...(archive && { to: String(archive.last) }) };
  const { results } = await getSearch({ q: 'plan is finished', in: 'chat', limit: String(SEARCH_RESULTS), ...range }, AbortSignal.timeout(15000));
  /** @type {Map<string, Said[]>} */ const saidOf = new Map();
  for (const { id, text, at } of results) {
    const planId = PLAN_FINISHED.exec(text)?.[1];
    if (planId) saidOf.set(planId, [...saidOf.get(planId) ?? [], { id, time: Date.parse(at) }]);
  }
  for (const said of saidOf.values()) said.sort((a, b) => a.time - b.time);
  const newest = [...saidOf].sort(([, [a]], [, [b]]) => b.time - a.time).slice(0, MAX_PLANS);
  const plans = await Promise.all(newest.map(async ([id, said]) => {
    const [answer, time] = await Promise.all([getPlan(id).catch(() => null), findTimeOfServer(said)]);
    return answer && time !== null ? [{ time, title: answer.plan.title, isPlan: true }] : [];
  }));
  return plans.flat();
}

/** Returns the time of the first message that the server wrote, because agents can write the same words; `null` if there is none. @param {Said[]} messages */
async function findTimeOfServer(messages) {
  for (const { id, time } of messages) {
    const answer = await getMessage(id).catch(() => null);
    if (answer?.message.sender_type === 'system') return time;
  }
  return null;
}
