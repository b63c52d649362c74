// The bar of time under the canvas: the season from its opening to now, how busy it was, and the moment that is shown.

import { getTimeline } from '../shared/api.js';
import { byId } from '../shared/dom.js';
import { hashField, setHashField } from '../shared/url-hash.js';
import { drawActivity } from './activity-graph.js';
import { TimeScale } from './time-scale.js';
import { count, day, moment as momentOf } from '../shared/format.js';

/** @typedef {import('./past-view.js').TimeMachine} TimeMachine */

/**
 * @typedef {object} Gallery  the parts of the page that tell the past from now
 * @property {Omit<import('./past-view.js').Room, 'at' | 'rested' | 'remark' | 'left'>} show
 * @property {(time: number) => void} past  shows that it is the past, and which
 * @property {() => void} present
 * @property {(scale: TimeScale) => void} told  how long the season has lasted is known
 * @property {() => boolean} live
 */

const STEPS = 240;
const RENEW_MS = 60000;
const TICK_MS = 1000;
const AGAIN_MS = 4000;
const REMARK_MS = 4000;
const MINUTE_MS = 60000;
// A screen reader is told the moment so often while it plays.
const ALOUD_MS = 3000;

export class TimeBar {
  /** @type {TimeScale | null} */ #scale = null;
  /** @type {Promise<TimeMachine | null> | null} */ #machine = null;
  /** The moment that is shown; null while that is now. @type {number | null} */ #at = null;
  /** The moment that was asked for and has not come yet. @type {number | null} */ #going = null;
  #season = '';
  /** @type {string | null} */ #inHash = null;
  #missed = 0;
  #again = 0;
  #remark = 0;
  #told = 0;
  #slider = /** @type {HTMLInputElement} */ (byId('time-slider'));
  #speed = /** @type {HTMLSelectElement} */ (byId('time-speed'));

  /** @param {Gallery} gallery */
  constructor(gallery) {
    this.gallery = gallery;
    this.#slider.addEventListener('input', () => this.#dragged());
    this.#slider.addEventListener('keydown', (event) => this.#key(event));
    byId('time-play').addEventListener('click', () => void this.#toggle());
    byId('time-live').addEventListener('click', () => void this.leave());
    this.#speed.addEventListener('change', () => void this.#respeed());
    window.addEventListener('hashchange', () => this.#fromHash());
    setInterval(() => void this.renew(), RENEW_MS);
    setInterval(() => this.#tick(), TICK_MS);
  }

  /**
   * The canvas of now is here: its season can be told. Another season has another past.
   * @param {string} season
   */
  async start(season) {
    if (season === this.#season) return;
    this.#season = season;
    await this.leave();
    this.#machine = null;
    this.#scale = null;
    await this.renew();
  }

  async renew() {
    // What the address asks for is not put off until somebody looks.
    if (document.hidden && this.#scale) return;
    clearTimeout(this.#again);
    const timeline = await getTimeline(STEPS).catch(() => null);
    if (!timeline) return this.#renewSoon();
    this.#scale = new TimeScale(timeline);
    this.gallery.told(this.#scale);
    (await this.#machine)?.follow(this.#scale);
    drawActivity(timeline.counts);
    byId('time').toggleAttribute('data-ready', true);
    this.#write();
    this.#fromHash();
  }

  #renewSoon() {
    if (!this.#scale) this.#again = setTimeout(() => void this.renew(), AGAIN_MS);
  }

  /** Strokes that happened while the past is shown. @param {number} strokes */
  missed(strokes) {
    if (this.#at === null) return;
    this.#missed += strokes;
    this.#writeMissed();
  }

  /** Back to now. */
  async leave() {
    (await this.#machine)?.leave();
  }

  /** The machine is fetched when somebody first leaves now. @returns {Promise<TimeMachine | null>} */
  async #wanted() {
    const scale = this.#scale;
    if (!scale) return null;
    this.#machine ??= import('./past-view.js').then(({ TimeMachine }) => new TimeMachine({
      ...this.gallery.show,
      at: (time) => this.#shows(time),
      rested: (seq) => this.#writeHash(String(seq)),
      remark: (words, stays) => this.#say(words, stays),
      left: () => this.#left(),
    }, scale)).catch(() => {
      this.#machine = null;
      this.#say('The past did not load. Try again.');
      return null;
    });
    return this.#machine;
  }

  /** @param {import('./past-view.js').Moment} moment */
  async #go(moment) {
    const machine = await this.#wanted();
    if (!machine) return;
    this.#going = 'time' in moment ? moment.time : null;
    this.#say('');
    machine.go(moment);
    this.#write();
  }

  #dragged() {
    const scale = this.#scale;
    if (!scale) return;
    const fraction = Number(this.#slider.value) / Number(this.#slider.max);
    if (fraction > 0.999) return void this.leave();
    void this.#go({ time: scale.opened + fraction * scale.span });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const scale = this.#scale;
    if (!scale || event.altKey || event.ctrlKey || event.metaKey) return;
    const small = Math.min(MINUTE_MS, scale.span / 100);
    const large = Math.min(60 * MINUTE_MS, scale.span / 10);
    const one = event.shiftKey ? large : small;
    const by = { ArrowLeft: -one, ArrowDown: -one, ArrowRight: one, ArrowUp: one, PageDown: -large, PageUp: large, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const to = Math.max(scale.opened, (this.#going ?? this.#at ?? scale.now) + by);
    if (to >= scale.now) void this.leave();
    else void this.#go({ time: to });
  }

  async #toggle() {
    const machine = await this.#wanted();
    if (machine?.playing) machine.pause();
    else machine?.play(this.#factor);
    this.#write(machine?.playing);
  }

  async #respeed() {
    const machine = await this.#machine;
    if (machine?.playing) machine.play(this.#factor);
  }

  /** How many times as fast as it was. */
  get #factor() {
    const chosen = Number(this.#speed.value);
    return chosen || (this.#scale?.span ?? MINUTE_MS) / MINUTE_MS;
  }

  #fromHash() {
    const wanted = hashField('at');
    // Others write into the address too: only what changed about the moment is meant for this.
    if (wanted === this.#inHash || !this.#scale) return;
    this.#inHash = wanted;
    if (wanted === null) void this.leave();
    else if (/^\d{1,15}$/.test(wanted)) void this.#go({ seq: Number(wanted) });
  }

  /** @param {string | null} seq */
  #writeHash(seq) {
    this.#inHash = seq;
    setHashField('at', seq);
  }

  /** @param {number} time */
  #shows(time) {
    this.#at = time;
    this.gallery.past(time);
    void this.#machine?.then((machine) => {
      if (!machine?.going) this.#going = null;
      this.#write(machine?.playing);
    });
  }

  #left() {
    this.#at = null;
    this.#going = null;
    this.#missed = 0;
    this.#writeHash(null);
    this.gallery.present();
    this.#say('');
    this.#write();
  }

  #tick() {
    if (!document.hidden && this.#at === null) this.#write();
  }

  /** @param {boolean} [playing] */
  #write(playing = false) {
    const scale = this.#scale;
    if (!scale) return;
    // The slider is where the hand has put it; whether that is shown already is another matter.
    const at = this.#going ?? this.#at;
    const fraction = at === null ? 1 : scale.fraction(at);
    this.#slider.value = String(fraction * Number(this.#slider.max));
    const bar = byId('time');
    bar.style.setProperty('--at', String(fraction));
    bar.toggleAttribute('data-past', this.#at !== null);
    const words = at === null ? `Since ${day(scale.opened)}` : momentOf(at);
    byId('time-moment').textContent = words;
    this.#aloud(at === null ? this.gallery.live() ? 'Now, live' : 'Now, not live' : `${words}, past`, playing);
    byId('time-play').setAttribute('aria-label', playing ? 'Pause' : at === null ? 'Play the season from its beginning' : 'Play on from here');
    byId('time-play').toggleAttribute('data-playing', playing);
    this.#writeMissed();
  }

  #writeMissed() {
    byId('time-missed').textContent = this.#missed ? `+${count(this.#missed)}` : '';
  }

  /**
   * @param {string} words
   * @param {boolean} playing
   */
  #aloud(words, playing) {
    const now = performance.now();
    if (playing && now - this.#told < ALOUD_MS) return;
    this.#told = now;
    this.#slider.setAttribute('aria-valuetext', words);
  }

  /**
   * @param {string | Node} words
   * @param {boolean} [stays] until something else is said
   */
  #say(words, stays = false) {
    clearTimeout(this.#remark);
    byId('time-remark').replaceChildren(words);
    if (words && !stays) this.#remark = setTimeout(() => this.#say(''), REMARK_MS);
  }
}
