// The time bar under the canvas: the season from its first pixel to now or to its end, its activity, and the shown moment.

import { getTimeline } from '../shared/api.js';
import { byId } from '../shared/dom.js';
import { pageReceivedAt, takeFirst } from '../shared/first-view.js';
import { showNotice } from '../shared/lazy-load.js';
import { drawActivityGraph } from './activity-graph.js';
import { Chapters } from './chapters.js';
import { MomentLink } from './moment-link.js';
import { PastView } from './past-view.js';
import { ReplayChoice } from './replay-choice.js';
import { TimeDisplay } from './time-display.js';
import { TimeScale } from './time-scale.js';
import { startTimeTip } from './time-tip.js';

/**
 * @typedef {object} TimeBarTargets the parts of the page that differ between past and live
 * @property {Omit<import('./past-view.js').PastViewTargets, 'onTime' | 'onSettled' | 'showMessage' | 'onReturn'>} pastView
 * @property {(time: number) => void} showPast shows that a past moment is shown, and which
 * @property {() => void} showPresent
 * @property {(scale: TimeScale) => void} setTimeScale called when the length of the season is known
 * @property {() => boolean} isLive
 * @property {() => boolean} isFrozen
 */

// More than the graph has bars, because the steps before the first pixel are left out.
const TIMELINE_STEPS = 960;
const REFRESH_MS = 60000;
const TICK_MS = 1000;
const RETRY_MS = 4000;
const MINUTE_MS = 60000;

export class TimeBar {
  /** @type {TimeScale | null} */ #scale = null;
  /** @type {Promise<PastView | null> | null} */ #pastView = null;
  /** The shown moment in milliseconds; `null` while live. @type {number | null} */ #shownTime = null;
  /** The requested moment that has not arrived yet. @type {number | null} */ #requestedTime = null;
  #season = '';
  #missedCount = 0;
  #retryTimer = 0;
  #display = new TimeDisplay();
  #choice = new ReplayChoice({ changeRange: () => void this.#changeRange(), changeSpeed: () => void this.#changeSpeed() });
  #link = new MomentLink({
    show: (moment) => void this.showMoment(moment),
    showPresent: () => this.returnToLive(),
    refuse: showNotice,
  });
  #chapters = new Chapters((time) => this.#visit(time));

  /** @param {TimeBarTargets} targets */
  constructor(targets) {
    this.targets = targets;
    this.#display.slider.addEventListener('input', () => this.#handleInput());
    this.#display.slider.addEventListener('keydown', (event) => this.#handleKey(event));
    byId('time-play').addEventListener('click', () => void this.#togglePlay());
    byId('time-live').addEventListener('click', () => void this.returnToLive());
    startTimeTip(() => this.#scale);
    window.addEventListener('hashchange', () => { if (this.#scale) this.#link.read(); });
    setInterval(() => void this.refresh(), REFRESH_MS);
    setInterval(() => this.#refreshLive(), TICK_MS);
  }

  /**
   * Starts with the season of the live canvas; another season replaces it.
   * @param {string} season
   */
  async start(season) {
    if (season === this.#season) return;
    this.#season = season;
    await this.returnToLive();
    this.#pastView = null;
    this.#scale = null;
    await this.refresh();
  }

  /** `null` until the timeline is loaded. */
  get scale() {
    return this.#scale;
  }

  async refresh() {
    // A moment in the URL does not wait until the page is visible, and an ended season does not go on.
    if (this.#scale && (document.hidden || this.#scale.hasEnded)) return;
    clearTimeout(this.#retryTimer);
    const first = takeFirst('timeline');
    const timeline = first ?? await getTimeline(TIMELINE_STEPS).catch(() => null);
    if (!timeline) return this.#scheduleRetry();
    this.#scale = new TimeScale(timeline, first ? pageReceivedAt : Date.now());
    this.targets.setTimeScale(this.#scale);
    (await this.#pastView)?.setScale(this.#scale);
    drawActivityGraph(this.#scale.counts);
    this.#chapters.setScale(this.#scale);
    byId('time').toggleAttribute('data-ready', true);
    this.#render();
    this.#link.read();
  }

  #scheduleRetry() {
    if (!this.#scale) this.#retryTimer = setTimeout(() => void this.refresh(), RETRY_MS);
  }

  /** Counts live placements that are not shown. @param {number} placements */
  countMissed(placements) {
    if (this.#shownTime === null) return;
    this.#missedCount += placements;
    this.#display.renderMissed(this.#missedCount);
  }

  /** Returns to the live canvas. */
  async returnToLive() {
    (await this.#pastView)?.returnToLive();
  }

  /** Creates the past view on first use. @returns {Promise<PastView | null>} */
  async #loadPastView() {
    const scale = this.#scale;
    if (!scale) return null;
    this.#pastView ??= Promise.resolve(new PastView({
      ...this.targets.pastView,
      onTime: (time) => this.#handleShown(time),
      onSettled: (seq) => this.#link.write(seq),
      showMessage: (words, stays) => this.#display.showMessage(words, stays),
      onReturn: () => this.#handleReturn(),
    }, scale));
    return this.#pastView;
  }

  /** Shows a moment of the season. @param {import('./past-view.js').Moment} moment */
  async showMoment(moment) {
    const pastView = await this.#loadPastView();
    if (!pastView) return;
    this.#requestedTime = 'time' in moment ? moment.time : null;
    this.#display.showMessage('');
    pastView.showMoment(moment);
    this.#render();
  }

  /** Shows the moment of a chapter; Back returns to the one that is shown now. @param {number} time */
  #visit(time) {
    // A moment that has not arrived yet is not shown, and its entry has its time already.
    this.#link.enter(time, this.#requestedTime === null ? this.targets.pastView.state.shownSeq : null);
    void this.showMoment({ time });
  }

  #handleInput() {
    const scale = this.#scale;
    if (!scale) return;
    const fraction = Number(this.#display.slider.value) / Number(this.#display.slider.max);
    if (fraction > 0.999) return void this.returnToLive();
    void this.showMoment({ time: scale.timeAt(fraction) });
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const scale = this.#scale;
    if (!scale || event.altKey || event.ctrlKey || event.metaKey) return;
    const small = Math.min(MINUTE_MS, scale.span / 100);
    const large = Math.min(60 * MINUTE_MS, scale.span / 10);
    const one = event.shiftKey ? large : small;
    const by = { ArrowLeft: -one, ArrowDown: -one, ArrowRight: one, ArrowUp: one, PageDown: -large, PageUp: large, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const to = Math.max(scale.start, (this.#requestedTime ?? this.#shownTime ?? scale.now) + by);
    if (to >= scale.now) void this.returnToLive();
    else void this.showMoment({ time: to });
  }

  async #togglePlay() {
    const pastView = await this.#loadPastView();
    if (pastView?.isPlaying) this.#pause(pastView);
    else this.#play(pastView);
  }

  /** @param {PastView} pastView */
  #pause(pastView) {
    pastView.pause();
    this.#render(false);
  }

  /** @param {PastView | null} pastView */
  #play(pastView) {
    const scale = this.#scale;
    if (!pastView || !scale) return;
    pastView.play(this.#choice.partOf(scale));
    this.#render(true);
  }

  /**
   * Plays the season to now from a moment on, while the live canvas is shown.
   * @param {number} from milliseconds
   * @param {number} seconds of watching
   * @returns {Promise<PastView | null>} `null` if it cannot be played
   */
  async playFrom(from, seconds) {
    const pastView = await this.#loadPastView();
    if (!pastView || !this.#scale) return null;
    pastView.play({ from, seconds });
    this.#render(true);
    return pastView;
  }

  /** Goes to the start of the chosen part of the season if a past moment is shown. */
  async #changeRange() {
    const [pastView, scale] = [await this.#pastView, this.#scale];
    if (!pastView || !scale || this.#shownTime === null) return;
    const { isPlaying } = pastView;
    await this.showMoment({ time: this.#choice.startOf(scale) });
    if (isPlaying) this.#play(pastView);
  }

  async #changeSpeed() {
    const pastView = await this.#pastView;
    if (pastView?.isPlaying) this.#play(pastView);
  }

  /** @param {number} time */
  #handleShown(time) {
    this.#shownTime = time;
    this.targets.showPast(time);
    void this.#pastView?.then((pastView) => {
      if (!pastView?.isLoading) this.#requestedTime = null;
      this.#render(pastView?.isPlaying);
    });
  }

  #handleReturn() {
    this.#shownTime = null;
    this.#requestedTime = null;
    this.#missedCount = 0;
    this.#link.write(null);
    this.targets.showPresent();
    this.#display.showMessage('');
    this.#render();
  }

  #refreshLive() {
    if (!document.hidden && this.#shownTime === null) this.#render();
  }

  /** @param {boolean} [isPlaying] */
  #render(isPlaying = false) {
    const scale = this.#scale;
    if (!scale) return;
    // The slider stands at the requested moment, shown or not.
    const time = this.#requestedTime ?? this.#shownTime;
    this.#display.render({ scale, time, isPast: this.#shownTime !== null, isPlaying, isLive: this.targets.isLive(), isFrozen: this.targets.isFrozen() });
    this.#display.renderMissed(this.#missedCount);
  }
}
