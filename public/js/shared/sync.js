// Keeps what the page shows equal to the server's log: load once, then follow by number; reload when in doubt.

import { getCanvas, getChat, Refusal } from './api.js';
import { LiveStream } from './live-stream.js';
import { seasonOf } from './season.js';

/** @typedef {import('./types.js').Hello} Hello */
/** @typedef {'connecting' | 'live' | 'down'} Line */

/**
 * @typedef {object} Room  the parts of the page that sync feeds
 * @property {(body: import('./types.js').CanvasBody) => void} showCanvas
 * @property {(page: import('./types.js').ChatPage) => void} showChat
 * @property {(page: import('./types.js').ChatPage) => void} mergeChat
 * @property {(code: string) => void} chatRefused
 * @property {(kind: string, data: any) => void} event
 * @property {(season: {id: string, title: string}) => void} season
 * @property {(spectators: number) => void} watching
 * @property {(line: Line) => void} line
 */

// A shared chat body may be a second old: one more look closes the gap between it and the stream's start.
const SECOND_LOOK_MS = 1500;
const FRESH_TRIES = 5;

export class Sync {
  /** @type {'loading' | 'following'} */ #phase = 'loading';
  /** @type {{kind: string, data: any}[]} */ #waiting = [];
  /** @type {Promise<import('./types.js').CanvasBody> | null} */ #early = null;
  #run = 0;
  #target = 0;
  #season = '';
  #version = 0;
  #live = false;
  // The server itself has lost its database: what it shows may be old.
  #away = false;

  /** @param {Room} room */
  constructor(room) {
    this.room = room;
    this.stream = new LiveStream({
      resumeFrom: () => (this.#phase === 'following' ? this.stream.last : null),
      hello: (hello) => this.#hello(hello),
      event: (kind, data) => this.#event(kind, data),
      presence: (spectators, live) => this.#present(spectators, live),
      lost: (why) => this.#forget(why),
      down: () => this.#cut(),
    });
  }

  start() {
    // The canvas is on its way while the stream opens; it counts only if it is as new as hello says.
    this.#early = getCanvas();
    this.#early.catch(() => {});
    this.room.line('connecting');
    this.stream.open();
  }

  /** Takes up the thread at once, without waiting for the planned retry. */
  resume() {
    this.#cut();
    this.stream.retryNow();
  }

  /** True when the page shows everything up to `head`. @param {number} head */
  reached(head) {
    return this.#phase === 'following' && (this.stream.last ?? 0) >= head;
  }

  get live() {
    return this.#live;
  }

  /** @param {Hello} hello */
  #hello(hello) {
    this.#target = hello.head;
    this.#present(hello.spectators, hello.live !== false);
    if (this.#phase === 'following' && seasonOf(hello.season).id !== this.#season) this.#phase = 'loading';
    if (this.#phase === 'following') return this.#checkLive();
    if (this.stream.last !== hello.head) return this.#startOver('another season');
    this.#load(hello, ++this.#run);
  }

  /**
   * @param {Hello} hello
   * @param {number} run
   */
  async #load(hello, run) {
    this.#waiting = [];
    const chat = getChat().catch((error) => error);
    try {
      const canvas = await this.#canvasFrom(hello.version);
      const page = await chat;
      if (run !== this.#run) return;
      this.#season = seasonOf(canvas.season).id;
      this.#version = canvas.version;
      this.room.showCanvas(canvas);
      this.#takeChat(page, this.room.showChat);
      this.#follow(canvas.version < hello.version);
      setTimeout(() => this.#lookAgain(run), SECOND_LOOK_MS);
    } catch (error) {
      console.warn('loading failed', error);
      if (run === this.#run) this.stream.fail();
    }
  }

  /**
   * A follower or a cache may still serve an older picture than the stream's start: ask until it is new enough,
   * or give back the old one in the end.
   * @param {number} version
   */
  async #canvasFrom(version) {
    for (let tries = 1; ; tries++) {
      const asked = this.#early ?? getCanvas();
      this.#early = null;
      const body = await asked;
      if (body.version >= version || tries >= FRESH_TRIES) return body;
      await new Promise((done) => setTimeout(done, 400 * tries));
    }
  }

  /**
   * @param {any} page a ChatPage, or the refusal
   * @param {(page: import('./types.js').ChatPage) => void} take
   */
  #takeChat(page, take) {
    if (page instanceof Error) this.room.chatRefused(page instanceof Refusal ? page.code : 'unknown');
    else take(page);
  }

  /** @param {number} run */
  async #lookAgain(run) {
    const page = await getChat().catch(() => null);
    if (page && run === this.#run && this.#phase === 'following') this.room.mergeChat(page);
  }

  /** @param {boolean} behind whether the picture is older than the stream's start */
  #follow(behind) {
    this.#phase = 'following';
    const waiting = this.#waiting;
    this.#waiting = [];
    if (behind) {
      // The stream can tell what the picture lacks: start it again from the picture's own number.
      this.stream.last = this.#version;
      return this.stream.open();
    }
    for (const { kind, data } of waiting) this.#apply(kind, data);
    this.#checkLive();
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #event(kind, data) {
    if (this.#phase === 'loading') this.#waiting.push({ kind, data });
    else this.#apply(kind, data);
    this.#checkLive();
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #apply(kind, data) {
    if (kind === 'season') {
      this.room.season({ id: data.season, title: data.title });
      return this.#startOver('a new season');
    }
    if (kind !== 'pixels') return this.room.event(kind, data);
    const rows = data.filter((/** @type {number[]} */ row) => row[0] > this.#version);
    if (rows.length) this.room.event(kind, rows);
  }

  /**
   * @param {number} spectators
   * @param {boolean} live
   */
  #present(spectators, live) {
    this.#away = !live;
    if (this.#away && this.#live) {
      this.#live = false;
      this.room.line('down');
    }
    this.room.watching(spectators);
    if (this.#phase === 'following') this.#checkLive();
  }

  #checkLive() {
    if (this.#live || this.#away || !this.reached(this.#target)) return;
    this.#live = true;
    this.room.line('live');
  }

  /** @param {string} why */
  #startOver(why) {
    this.#forget(why);
    this.stream.fail();
  }

  /** @param {string} why */
  #forget(why) {
    console.info('reloading the state:', why);
    this.#phase = 'loading';
    this.#run++;
  }

  #cut() {
    this.#live = false;
    if (this.#phase === 'loading') this.#run++;
    this.room.line('down');
  }
}
