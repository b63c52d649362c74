// Keeps the page equal to the server's event log: loads once, then follows by sequence number, and reloads when in doubt.

import { ApiError, getCanvas, getChat } from './api.js';
import { dropFirst, firstChat } from './first-view.js';
import { LiveStream } from './live-stream.js';
import { seasonOf } from './season.js';

/** @typedef {import('./types.js').Hello} Hello */
/** @typedef {'connecting' | 'live' | 'down'} ConnectionState */

/**
 * @typedef {object} SyncTargets the parts of the page that show the state
 * @property {(body: import('./types.js').CanvasBody) => void} showCanvas
 * @property {(page: import('./types.js').ChatPage) => void} showChat
 * @property {(page: import('./types.js').ChatPage) => void} mergeChat
 * @property {(code: string) => void} showChatError
 * @property {(kind: string, data: any) => void} handleEvent
 * @property {(season: {id: string, title: string}) => void} showSeason
 * @property {(spectators: number) => void} showWatching
 * @property {(isEnabled: boolean) => void} setChatEnabled
 * @property {(connection: ConnectionState) => void} showConnection
 */

// A cached chat body may be a second old: a second request closes the gap to the stream's start.
const CHAT_RECHECK_MS = 1500;
// What has no number, such as a folded message, may be missing in a page that was rendered longer ago.
const MAX_UNCHECKED_MS = 5000;
const MAX_CANVAS_TRIES = 5;

export class Sync {
  /** @type {'loading' | 'following'} */ #phase = 'loading';
  /** @type {{kind: string, data: any}[]} */ #queued = [];
  /** @type {Promise<import('./types.js').CanvasBody> | null} */ #earlyCanvas = null;
  /** The newest messages of the rendered page, until something is loaded. */ #first = firstChat();
  #loadId = 0;
  #targetSeq = 0;
  #season = '';
  #version = 0;
  #isLive = false;
  // The server has lost its database: its answers may be outdated.
  #isDatabaseDown = false;

  /** @param {SyncTargets} targets */
  constructor(targets) {
    this.targets = targets;
    this.stream = new LiveStream({
      // The stream sends what has happened since the page was rendered.
      resumeFrom: () => (this.#phase === 'following' ? this.stream.lastSeq : this.#first?.head ?? null),
      hello: (hello) => this.#handleHello(hello),
      event: (kind, data) => this.#handleEvent(kind, data),
      presence: (spectators, live) => this.#handlePresence(spectators, live),
      gap: (why) => this.#invalidate(why),
      disconnected: () => this.#disconnect(),
    });
  }

  start() {
    // The canvas is requested while the stream connects; it counts only if it is as new as hello says.
    this.#earlyCanvas = getCanvas();
    this.#earlyCanvas.catch(() => {});
    this.targets.showConnection('connecting');
    this.stream.open();
  }

  /** Reconnects at once instead of waiting for the scheduled retry. */
  resume() {
    this.#disconnect();
    this.stream.retryNow();
  }

  /** Returns whether everything up to `head` is shown. @param {number} head */
  hasReached(head) {
    return this.#phase === 'following' && (this.stream.lastSeq ?? 0) >= head;
  }

  get isLive() {
    return this.#isLive;
  }

  /** @param {Hello} hello */
  #handleHello(hello) {
    this.#targetSeq = hello.head;
    this.#handlePresence(hello.spectators, hello.live !== false);
    if (this.#phase === 'following') this.#showSettings(hello);
    if (this.#phase === 'following' && seasonOf(hello.season).id !== this.#season) this.#phase = 'loading';
    if (this.#phase === 'following') {
      // What has no number, such as a folded message, was missed during the interruption.
      void this.#recheckChat(this.#loadId);
      return this.#checkLive();
    }
    if (this.stream.lastSeq !== (this.#first?.head ?? hello.head)) return this.#reconnect('another season');
    this.#load(hello, ++this.#loadId);
  }

  /**
   * @param {Hello} hello
   * @param {number} loadId
   */
  async #load(hello, loadId) {
    this.#queued = [];
    const first = this.#first;
    const version = first?.version ?? hello.version;
    const chat = first ? firstPage(first) : getChat().catch((error) => error);
    try {
      const canvas = await this.#fetchCanvas(version);
      const page = await chat;
      if (loadId !== this.#loadId) return;
      this.#first = null;
      this.#season = seasonOf(canvas.season).id;
      this.#version = canvas.version;
      this.targets.showCanvas(canvas);
      this.#deliverChat(page, this.targets.showChat);
      this.#startFollowing(canvas.version < version);
      this.#showSettings(hello);
      if (!first || performance.now() > MAX_UNCHECKED_MS) setTimeout(() => this.#recheckChat(loadId), CHAT_RECHECK_MS);
    } catch (error) {
      console.warn('loading failed', error);
      if (loadId === this.#loadId) this.stream.fail();
    }
  }

  /**
   * Requests the canvas until it is as new as the stream's start, since a follower or a cache may be behind; returns the
   * last answer if it stays behind.
   * @param {number} version
   */
  async #fetchCanvas(version) {
    for (let tries = 1; ; tries++) {
      const request = this.#earlyCanvas ?? getCanvas();
      this.#earlyCanvas = null;
      const body = await request;
      if (body.version >= version || tries >= MAX_CANVAS_TRIES) return body;
      await new Promise((done) => setTimeout(done, 400 * tries));
    }
  }

  /**
   * @param {any} page a ChatPage, or the error
   * @param {(page: import('./types.js').ChatPage) => void} deliver
   */
  #deliverChat(page, deliver) {
    if (page instanceof Error) this.targets.showChatError(page instanceof ApiError ? page.code : 'unknown');
    else deliver(page);
  }

  /** Requests the newest messages again, as who is signed in sees them. */
  recheckChat() {
    void this.#recheckChat(this.#loadId);
  }

  /** @param {number} loadId */
  async #recheckChat(loadId) {
    const page = await getChat().catch(() => null);
    if (page && loadId === this.#loadId && this.#phase === 'following') this.targets.mergeChat(page);
  }

  /** @param {boolean} behind whether the canvas is older than the stream's start */
  #startFollowing(behind) {
    this.#phase = 'following';
    const queued = this.#queued;
    this.#queued = [];
    if (behind) {
      // Resuming from the canvas's own version makes the stream send what it lacks.
      this.stream.lastSeq = this.#version;
      return this.stream.open();
    }
    for (const { kind, data } of queued) this.#apply(kind, data);
    this.#checkLive();
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #handleEvent(kind, data) {
    if (this.#phase === 'loading') this.#queued.push({ kind, data });
    else this.#apply(kind, data);
    this.#checkLive();
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #apply(kind, data) {
    if (kind === 'season') {
      this.targets.showSeason({ id: data.season, title: data.title });
      return this.#reconnect('a new season');
    }
    if (kind === 'settings') return this.#showSettings(data);
    if (kind !== 'pixels') return this.targets.handleEvent(kind, data);
    const rows = data.filter((/** @type {number[]} */ row) => row[0] > this.#version);
    if (rows.length) this.targets.handleEvent(kind, rows);
  }

  /** @param {{chat_enabled?: boolean}} settings */
  #showSettings({ chat_enabled: isEnabled }) {
    if (isEnabled !== undefined) this.targets.setChatEnabled(isEnabled);
  }

  /**
   * @param {number} spectators
   * @param {boolean} live
   */
  #handlePresence(spectators, live) {
    this.#isDatabaseDown = !live;
    if (this.#isDatabaseDown && this.#isLive) {
      this.#isLive = false;
      this.targets.showConnection('down');
    }
    this.targets.showWatching(spectators);
    if (this.#phase === 'following') this.#checkLive();
  }

  #checkLive() {
    if (this.#isLive || this.#isDatabaseDown || !this.hasReached(this.#targetSeq)) return;
    this.#isLive = true;
    this.targets.showConnection('live');
  }

  /** @param {string} why */
  #reconnect(why) {
    this.#invalidate(why);
    this.stream.fail();
  }

  /** @param {string} why */
  #invalidate(why) {
    console.info('reloading the state:', why);
    this.#phase = 'loading';
    this.#first = null;
    dropFirst();
    this.#loadId++;
  }

  #disconnect() {
    this.#isLive = false;
    if (this.#phase === 'loading') this.#loadId++;
    this.targets.showConnection('down');
  }
}

/** @param {NonNullable<ReturnType<typeof firstChat>>} first */
const firstPage = ({ page }) => page ?? new ApiError(403, 'chat_disabled', '');
