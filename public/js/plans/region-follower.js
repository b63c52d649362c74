// Keeps the cells of an area equal to the canvas: loads them once, then follows the event stream, and reloads when in doubt.

import { readCells } from '../canvas/canvas-state.js';
import { LiveStream } from '../shared/live-stream.js';
import { getRegion } from './plan-api.js';

/**
 * @typedef {object} RegionTargets
 * @property {(cells: Uint8Array, body: import('../shared/types.js').CanvasBody) => void} showCells
 * @property {(rows: import('../shared/types.js').PixelRow[]) => void} applyPlacements called with placements in the area
 * @property {(planId: string) => void} onPlan called when a plan was changed or has ended
 * @property {() => void} onSeason called when another season has begun
 * @property {(isLive: boolean) => void} showConnection
 */

const MAX_TRIES = 5;
const RETRY_MS = 400;

export class RegionFollower {
  /** The version of the loaded cells; `null` until they are loaded. @type {number | null} */ #version = null;
  /** @type {{kind: string, data: any}[]} */ #queued = [];
  #loadId = 0;
  /** The number of people who watch. */ viewers = 1;

  /**
   * @param {import('./types.js').Area} area
   * @param {RegionTargets} targets
   */
  constructor(area, targets) {
    this.area = area;
    this.targets = targets;
    this.stream = new LiveStream({
      resumeFrom: () => (this.#version === null ? null : this.stream.lastSeq),
      hello: (hello) => this.#handleHello(hello),
      event: (kind, data) => this.#handleEvent(kind, data),
      presence: (viewers, live) => {
        this.viewers = viewers;
        this.targets.showConnection(live && this.#version !== null);
      },
      gap: () => { this.#version = null; },
      disconnected: () => this.#handleDisconnect(),
    });
    window.addEventListener('online', () => this.stream.retryNow());
    window.addEventListener('pagehide', () => this.stream.close());
    window.addEventListener('pageshow', (event) => { if (event.persisted) this.stream.retryNow(); });
  }

  /** @param {import('../shared/live-stream.js').Hello} hello */
  #handleHello(hello) {
    this.viewers = hello.spectators;
    if (this.#version === null) void this.#load(hello.version, ++this.#loadId);
    else this.targets.showConnection(hello.live !== false);
  }

  /**
   * Loads the cells until they are as new as the stream's start, since a cache may be behind.
   * @param {number} version
   * @param {number} loadId
   */
  async #load(version, loadId) {
    this.#queued = [];
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const body = await getRegion(this.area, null).catch(() => null);
      if (loadId !== this.#loadId) return;
      if (body && body.version >= version) return this.#show(body);
      await new Promise((done) => setTimeout(done, RETRY_MS * tries));
      if (loadId !== this.#loadId) return;
    }
    this.stream.fail();
  }

  /** @param {import('../shared/types.js').CanvasBody} body */
  #show(body) {
    this.#version = body.version;
    this.targets.showCells(readCells(body), body);
    this.targets.showConnection(true);
    for (const { kind, data } of this.#queued.splice(0)) this.#apply(kind, data);
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #handleEvent(kind, data) {
    if (this.#version === null) this.#queued.push({ kind, data });
    else this.#apply(kind, data);
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #apply(kind, data) {
    if (kind === 'season') {
      this.stream.close();
      this.targets.onSeason();
    } else if (kind === 'plan') this.targets.onPlan(data.plan_id);
    else if (kind === 'pixels') this.#applyPlacements(data);
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  #applyPlacements(rows) {
    const { x: left, y: top, width, height } = this.area;
    const isInside = (/** @type {import('../shared/types.js').PixelRow} */ [seq, x, y]) =>
      seq > (this.#version ?? 0) && x >= left && y >= top && x < left + width && y < top + height;
    const inside = rows.filter(isInside);
    if (inside.length) this.targets.applyPlacements(inside);
  }

  #handleDisconnect() {
    this.#loadId++;
    this.targets.showConnection(false);
  }
}
