// Shows another moment of the season in place of now: fetches it, plays on from it, and gives now back as it is by then.

import { getCanvasAt, getChat } from '../shared/api.js';
import { readCells } from '../canvas/canvas-state.js';
import { el } from '../shared/dom.js';
import { seasonOf } from '../shared/season.js';
import { Newest } from './latest-request.js';
import { Player } from './player.js';

/** @typedef {import('../shared/types.js').CanvasBody} CanvasBody */
/** @typedef {import('../shared/types.js').History} History */
/** @typedef {{seq: number} | {time: number}} Moment  an event's number, or milliseconds */

/**
 * @typedef {object} Room  what shows the moment
 * @property {import('../canvas/canvas-view.js').CanvasView} view
 * @property {import('../canvas/canvas-state.js').CanvasState} state
 * @property {import('../chat/chat.js').Chat} chat
 * @property {() => number} head  the newest number
 * @property {(time: number) => void} at  the moment that is shown, whenever it changes
 * @property {(seq: number) => void} rested  the moment on which one stays
 * @property {(words: string | Node, stays?: boolean) => void} remark
 * @property {() => void} left  now is shown again
 */

const CANVAS_PAUSE_MS = 90;
const CHAT_PAUSE_MS = 300;
const CHAT_AGAIN_MS = 2000;
const REST_MS = 500;
// Faster than this, single strokes are not lit up any more: everything would glow.
const GLOW_UP_TO = 100;

export class TimeMachine {
  /** @type {number | null} */ #seq = null;
  #time = 0;
  #rest = 0;
  #toPlay = false;
  /** Another moment was asked for and has not come yet. */ #going = false;
  /** Events that wait for the page of chat which they go on from. @type {History['events'] | null} */ #unsaid = null;

  /**
   * @param {Room} room
   * @param {import('./time-scale.js').TimeScale} scale
   */
  constructor(room, scale) {
    this.room = room;
    this.scale = scale;
    this.canvases = new Newest((/** @type {Moment} */ at, signal) => getCanvasAt('seq' in at ? at.seq : new Date(at.time).toISOString(), signal),
      (body, at) => this.#arrived(body, at), () => this.#failed(), CANVAS_PAUSE_MS);
    this.chats = new Newest((/** @type {number} */ seq, signal) => getChat({ at: seq }, signal),
      (page, seq) => this.#heard(page, seq), (refusal) => this.#unheard(refusal), CHAT_PAUSE_MS);
    this.player = new Player({
      told: (time, rows, events) => this.#told(time, rows, events),
      picture: (time) => this.canvases.want({ time }),
      skipped: (span) => room.remark(`Skipped ${lasting(span)} of quiet.`),
      waiting: (waiting) => room.remark(waiting ? 'Fetching what happened next.' : '', waiting),
      arrived: () => this.leave(),
      head: room.head,
    }, scale);
  }

  /** The season has gone on. @param {import('./time-scale.js').TimeScale} scale */
  follow(scale) {
    this.scale = scale;
    this.player.scale = scale;
  }

  get playing() {
    return this.player.playing || this.#toPlay;
  }

  get going() {
    return this.#going;
  }

  /** What is shown stays, and is called what it is, until the moment has come. @param {Moment} moment */
  go(moment) {
    this.pause();
    this.#going = true;
    this.canvases.want(moment);
  }

  /** On from the moment that is shown, or from the season's first. @param {number} speed */
  play(speed) {
    this.player.speed = speed;
    if (this.player.playing) return;
    if (this.#seq !== null && !this.#going) return this.player.start(this.#seq, this.#time);
    this.#toPlay = true;
    if (this.#going) return;
    this.#going = true;
    this.canvases.want({ seq: this.scale.first });
  }

  pause() {
    this.#toPlay = false;
    if (this.player.playing) this.player.stop();
    this.#restSoon();
  }

  /** Back to now. */
  leave() {
    this.player.stop();
    this.canvases.forget();
    this.chats.forget();
    clearTimeout(this.#rest);
    this.#toPlay = false;
    this.#going = false;
    this.#unsaid = null;
    this.#seq = null;
    this.#time = 0;
    this.room.state.moment = null;
    this.room.view.show(null);
    this.room.chat.showPresent();
    this.room.left();
  }

  /**
   * @param {CanvasBody} body
   * @param {Moment} moment
   */
  #arrived(body, moment) {
    // Strokes took over from pictures: one that comes late would take some of them back.
    if (this.player.telling) return;
    if (seasonOf(body.season).id !== this.scale.season) return this.#elsewhere();
    const at = body.at ?? { seq: body.version, time: new Date().toISOString() };
    this.#seq = at.seq;
    this.room.state.moment = at.seq;
    this.room.view.show(readCells(body));
    this.#unsaid = [];
    this.#going &&= this.canvases.overtaken;
    this.chats.want(at.seq);
    const time = 'time' in moment ? moment.time : Date.parse(at.time);
    if (this.player.playing) this.player.seen(at.seq, time);
    this.#shows(time);
    if (this.#going) return;
    if (this.#toPlay) this.player.start(at.seq, time);
    this.#toPlay = false;
    this.#restSoon();
  }

  /** Numbers go on from season to season: an old address may lead to a canvas that hangs elsewhere. */
  #elsewhere() {
    this.leave();
    this.room.remark(el('a', { href: '/seasons' }, 'That moment belongs to another season.'), true);
  }

  #failed() {
    if (!this.player.playing && !this.canvases.overtaken) this.#stay();
    this.room.remark('This moment cannot be shown just now.');
  }

  /** The moment that was asked for does not come: the one that is shown goes on being shown. */
  #stay() {
    this.#toPlay = false;
    this.#going = false;
    if (this.#seq === null) this.leave();
    else this.#shows(this.#time);
    this.#restSoon();
  }

  /**
   * @param {import('../shared/types.js').ChatPage} page
   * @param {number} seq
   */
  #heard(page, seq) {
    const unsaid = (this.#unsaid ?? []).filter((event) => event.seq > seq);
    this.#unsaid = this.chats.overtaken ? unsaid : null;
    this.room.chat.showPast(page, new Date(this.#time).toISOString());
    unsaid.forEach((event) => this.room.chat.pastEvent(event.event, event.data));
  }

  /**
   * Without its page the chat stands still: asks for the one of the moment that is shown by then.
   * @param {any} refusal
   */
  #unheard(refusal) {
    if (refusal.code === 'chat_disabled') {
      this.#unsaid = null;
      return this.room.chat.refused(refusal.code);
    }
    setTimeout(() => {
      const { moment } = this.room.state;
      if (moment === null || !this.#unsaid) return;
      this.#unsaid = [];
      this.chats.want(moment);
    }, CHAT_AGAIN_MS);
  }

  /**
   * @param {number} time
   * @param {import('../shared/types.js').PastRow[]} rows
   * @param {History['events']} events
   */
  #told(time, rows, events) {
    this.#seq = Math.max(this.#seq ?? 0, rows.at(-1)?.[0] ?? 0, events.at(-1)?.seq ?? 0);
    this.room.state.moment = this.#seq;
    if (rows.length) this.room.view.paint(rows, { glow: this.player.speed <= GLOW_UP_TO });
    if (this.#unsaid) this.#unsaid.push(...events);
    else events.forEach((event) => this.room.chat.pastEvent(event.event, event.data));
    this.#shows(time);
  }

  /** @param {number} time */
  #shows(time) {
    this.#time = time;
    this.room.at(time);
  }

  #restSoon() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (this.#seq !== null && !this.playing && !this.#going) this.room.rested(this.#seq);
    }, REST_MS);
  }
}

/** @param {number} span milliseconds */
function lasting(span) {
  const [amount, unit] = span < 90e3 ? [span / 1e3, 'second'] : span < 90 * 60e3 ? [span / 60e3, 'minute'] : span < 36 * 3600e3 ? [span / 3600e3, 'hour'] : [span / 86400e3, 'day'];
  const whole = Math.max(1, Math.round(amount));
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
