// Shows a past moment in place of the live canvas and chat, plays on from it, and returns to live.

import { readCells } from '../canvas/canvas-state.js';
import { PastPainters } from '../people/past-painters.js';
import { ApiError, getCanvasAt, getChat } from '../shared/api.js';
import { el } from '../shared/dom.js';
import { formatDuration } from '../shared/format.js';
import { archive, seasonOf } from '../shared/season.js';
import { translate } from '../shared/translate.js';
import { LatestRequest } from './latest-request.js';
import { Player } from './player.js';

/** @typedef {import('../shared/types.js').CanvasBody} CanvasBody */
/** @typedef {import('../shared/types.js').History} History */
/** @typedef {{seq: number} | {time: number}} Moment  a sequence number, or a time in milliseconds */

/**
 * @typedef {object} PastViewTargets the parts of the page that show the moment
 * @property {import('../canvas/canvas-view.js').CanvasView} view
 * @property {import('../canvas/canvas-state.js').CanvasState} state
 * @property {import('../chat/chat.js').Chat} chat
 * @property {import('../people/agent-names.js').AgentNames} names
 * @property {(id: string) => void} openAgent highlights the pixels of an agent
 * @property {(x: number, y: number) => void} visit shows a pixel
 * @property {() => number} head the newest sequence number
 * @property {(time: number) => void} onTime called with each shown moment
 * @property {(seq: number) => void} onSettled called when the shown moment has not changed for a while
 * @property {(words: string | Node, stays?: boolean) => void} showMessage
 * @property {() => void} onReturn called when the live canvas is shown again
 */

const CANVAS_INTERVAL_MS = 90;
const CHAT_INTERVAL_MS = 300;
const CHAT_RETRY_MS = 2000;
const SETTLE_MS = 500;
// If more pixels are placed per second of watching, they are not highlighted: the whole canvas would glow.
const MAX_HIGHLIGHTS_PER_SECOND = 60;
const FUTURE_MESSAGE = translate(archive ? 'That moment is still to come. This is the end of the season.' : 'That moment is still to come. This is the canvas of now.');

export class PastView {
  /** @type {number | null} */ #seq = null;
  #time = 0;
  #settleTimer = 0;
  #playsOnArrival = false;
  /** A requested moment has not arrived yet. */ #isLoading = false;
  /** Events that wait for the page of chat that they follow. @type {History['events'] | null} */ #pendingEvents = null;

  /**
   * @param {PastViewTargets} targets
   * @param {import('./time-scale.js').TimeScale} scale
   */
  constructor(targets, scale) {
    this.targets = targets;
    this.scale = scale;
    this.canvases = new LatestRequest((/** @type {Moment} */ at, signal) => getCanvasAt('seq' in at ? at.seq : new Date(at.time).toISOString(), signal),
      (body, at) => this.#showCanvas(body, at), (error) => this.#handleFailure(error), CANVAS_INTERVAL_MS);
    this.chats = new LatestRequest((/** @type {number} */ seq, signal) => getChat({ at: seq }, signal),
      (page, seq) => this.#showChat(page, seq), (error) => this.#handleChatFailure(error), CHAT_INTERVAL_MS);
    this.painters = new PastPainters(targets);
    this.player = new Player({
      applyEvents: (time, rows, events) => this.#applyEvents(time, rows, events),
      showSnapshot: (time) => this.canvases.request({ time }),
      onSkip: (span) => targets.showMessage(translate('Skipped {duration} without activity.', { duration: formatDuration(span) })),
      setWaiting: (waiting) => targets.showMessage(waiting ? translate('Loading…') : '', waiting),
      onEnd: () => this.returnToLive(),
      head: targets.head,
    }, scale);
  }

  /** Replaces the time scale after the season has gone on. @param {import('./time-scale.js').TimeScale} scale */
  setScale(scale) {
    this.scale = scale;
    this.player.scale = scale;
  }

  get isPlaying() {
    return this.player.isPlaying || this.#playsOnArrival;
  }

  get isLoading() {
    return this.#isLoading;
  }

  /** Requests a moment; the current one stays until it arrives. @param {Moment} moment */
  showMoment(moment) {
    this.pause();
    this.#isLoading = true;
    this.canvases.request(moment);
  }

  /**
   * Plays on from the shown moment, or from the beginning of a part of the season while the live canvas is shown.
   * @param {import('./player.js').Part} part
   */
  play(part) {
    this.player.setPart(part);
    if (this.player.isPlaying) return;
    if (this.#seq !== null && !this.#isLoading) return this.player.start(this.#seq, this.#time);
    this.#playsOnArrival = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.canvases.request({ time: part.from });
  }

  pause() {
    this.#playsOnArrival = false;
    if (this.player.isPlaying) this.player.stop();
    this.#scheduleSettled();
  }

  /** Returns to the live canvas and chat. */
  returnToLive() {
    this.player.stop();
    this.canvases.cancel();
    this.chats.cancel();
    clearTimeout(this.#settleTimer);
    this.#playsOnArrival = false;
    this.#isLoading = false;
    this.#pendingEvents = null;
    this.#seq = null;
    this.#time = 0;
    this.painters.clear();
    Object.assign(this.targets.state, { shownSeq: null, shownTime: null });
    this.targets.view.showCells(null);
    this.targets.chat.showPresent();
    this.targets.onReturn();
  }

  /**
   * @param {CanvasBody} body
   * @param {Moment} moment
   */
  #showCanvas(body, moment) {
    // While events are played, a late snapshot would undo some of them.
    if (this.player.playsEvents) return;
    if (seasonOf(body.season).id !== this.scale.season) return this.#showOtherSeason();
    const at = body.at ?? { seq: body.version, time: new Date().toISOString() };
    const time = Math.max(this.scale.opened, 'time' in moment ? moment.time : Date.parse(at.time));
    this.#seq = at.seq;
    Object.assign(this.targets.state, { shownSeq: at.seq, shownTime: time });
    this.targets.view.showCells(readCells(body));
    this.#pendingEvents = [];
    this.#isLoading &&= this.canvases.hasNewer;
    this.chats.request(at.seq);
    this.painters.load(this.scale.first, at.seq, time);
    if (this.player.isPlaying) this.player.resumeEvents(at.seq, time);
    this.#setTime(time);
    if (this.#isLoading) return;
    if (this.#playsOnArrival) this.player.start(at.seq, time);
    this.#playsOnArrival = false;
    this.#scheduleSettled();
  }

  /** Sequence numbers go on over seasons, so an old link may lead to another season's canvas. */
  #showOtherSeason() {
    this.#refuse(el('a', { href: '/seasons' }, translate('That moment belongs to another season.')));
  }

  /** Shows the live canvas instead of a moment, and why. @param {string | Node} why */
  #refuse(why) {
    this.returnToLive();
    this.targets.showMessage(why, true);
  }

  /** @param {unknown} error */
  #handleFailure(error) {
    if (error instanceof ApiError && error.code === 'invalid_field') return this.#refuse(FUTURE_MESSAGE);
    if (!this.player.isPlaying && !this.canvases.hasNewer) this.#keepCurrent();
    this.targets.showMessage(translate('This moment did not load. Try again, or choose another one.'));
  }

  /** Keeps showing the current moment because the requested one failed. */
  #keepCurrent() {
    this.#playsOnArrival = false;
    this.#isLoading = false;
    if (this.#seq === null) this.returnToLive();
    else this.#setTime(this.#time);
    this.#scheduleSettled();
  }

  /**
   * @param {import('../shared/types.js').ChatPage} page
   * @param {number} seq
   */
  #showChat(page, seq) {
    const pending = (this.#pendingEvents ?? []).filter((event) => event.seq > seq);
    this.#pendingEvents = this.chats.hasNewer ? pending : null;
    this.targets.chat.showPast(page, new Date(this.#time).toISOString());
    pending.forEach((event) => this.targets.chat.handlePastEvent(event.event, event.data));
  }

  /**
   * Requests the chat of the shown moment again after a failure; without it no chat events can be applied.
   * @param {any} error
   */
  #handleChatFailure(error) {
    if (error.code === 'chat_disabled') {
      this.#pendingEvents = null;
      return this.targets.chat.showError(error.code);
    }
    setTimeout(() => {
      const { shownSeq } = this.targets.state;
      if (shownSeq === null || !this.#pendingEvents) return;
      this.#pendingEvents = [];
      this.chats.request(shownSeq);
    }, CHAT_RETRY_MS);
  }

  /**
   * @param {number} time
   * @param {import('../shared/types.js').PastRow[]} rows
   * @param {History['events']} events
   */
  #applyEvents(time, rows, events) {
    this.#seq = Math.max(this.#seq ?? 0, rows.at(-1)?.[0] ?? 0, events.at(-1)?.seq ?? 0);
    Object.assign(this.targets.state, { shownSeq: this.#seq, shownTime: time });
    if (rows.length) this.targets.view.applyPlacements(rows, { highlight: this.player.placementsPerSecond <= MAX_HIGHLIGHTS_PER_SECOND });
    this.painters.addPlacements(rows, time);
    if (events.some(({ event }) => event === 'plan')) this.targets.view.renderer.markOverlayDirty();
    if (this.#pendingEvents) this.#pendingEvents.push(...events);
    else events.forEach((event) => this.targets.chat.handlePastEvent(event.event, event.data));
    this.#setTime(time);
  }

  /** @param {number} time */
  #setTime(time) {
    this.#time = time;
    this.targets.onTime(time);
  }

  #scheduleSettled() {
    clearTimeout(this.#settleTimer);
    this.#settleTimer = setTimeout(() => {
      if (this.#seq !== null && !this.isPlaying && !this.#isLoading) this.targets.onSettled(this.#seq);
    }, SETTLE_MS);
  }
}
