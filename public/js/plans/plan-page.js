// Entry point of the page of a plan: the area as it is now or was, with its damage, the progress, and what its author may do.

import { byId } from '../shared/dom.js';
import { Viewer } from '../people/viewer.js';
import { randomDelay } from '../shared/random-delay.js';
import { ANY_COLOR, CellPainter, parseRows } from './picture.js';
import { getPlan, getRegion } from './plan-api.js';
import { recordLeft, showPlan, updateNote } from './plan-facts.js';
import { RegionFollower } from './region-follower.js';
import { Replay } from './replay.js';
import { ReplayBar } from './replay-bar.js';
import { readCells } from '../canvas/canvas-state.js';

/** The time between two requests for the plan, in milliseconds. */
const REFRESH_MS = 2000;
/** The time after which the estimate of what is left is outdated, in milliseconds. */
const ESTIMATE_MS = 30000;

const data = byId('plan').dataset;
const id = data.id ?? '';
const area = { x: Number(data.x), y: Number(data.y), width: Number(data.width), height: Number(data.height) };
const hasEnded = data.ended !== undefined;

class PlanPage {
  #wanted = parseRows((data.rows ?? '').split(' '));
  /** The newest cells. @type {Uint8Array} */ #live = new Uint8Array(area.width * area.height);
  /** Cells that were right since the picture was set, and are wrong. @type {Set<number>} */ #damaged = new Set();
  #version = Number(data.version);
  #painter = new CellPainter(/** @type {HTMLCanvasElement} */ (byId('area')));
  #replay = new Replay({ id, area, opened: Number(data.opened) }, () => this.#showMoment());
  #bar = new ReplayBar(this.#replay);
  #showsLeft = /** @type {HTMLInputElement} */ (byId('show-left'));
  #refreshTimer = 0;
  #frame = 0;
  /** @type {RegionFollower | null} */ #follower = null;

  constructor() {
    this.#painter.setSize(area.width, area.height);
    this.#showsLeft.addEventListener('change', () => this.#draw());
    for (const point of (data.damaged ?? '').split(' ').filter(Boolean)) {
      const [x, y] = point.split(',').map(Number);
      this.#damaged.add(this.#indexOf(x, y));
    }
  }

  start() {
    if (hasEnded) void this.#showEnd();
    else this.#follow();
  }

  /** Shows the area as it was when the plan ended. */
  async #showEnd() {
    const body = await getRegion(area, data.ended ?? '').catch(() => null);
    if (!body) return this.#bar.showMessage('The picture did not load. Load the page again.');
    this.#showCells(readCells(body), body);
  }

  #follow() {
    const follower = new RegionFollower(area, {
      showCells: (cells, body) => this.#showCells(cells, body),
      applyPlacements: (rows) => this.#applyPlacements(rows),
      onPlan: (planId) => { if (planId === id) this.#scheduleRefresh(0); },
      onSeason: () => void setTimeout(() => location.reload(), randomDelay(follower.viewers)),
      showConnection: (isLive) => this.#bar.showConnection(isLive),
    });
    this.#follower = follower;
    follower.stream.open();
    recordLeft(Number(data.left));
    setInterval(updateNote, ESTIMATE_MS);
  }

  /**
   * @param {Uint8Array} cells
   * @param {import('../shared/types.js').CanvasBody} body
   */
  #showCells(cells, body) {
    this.#painter.setPalette(body.palette);
    this.#live = cells;
    cells.forEach((color, index) => { if (color === this.#wanted[index]) this.#damaged.delete(index); });
    this.#draw();
    this.#scheduleRefresh();
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  #applyPlacements(rows) {
    for (const [, x, y, color] of rows) {
      const index = this.#indexOf(x, y);
      const wanted = this.#wanted[index];
      if (color === wanted) this.#damaged.delete(index);
      else if (wanted !== ANY_COLOR && this.#live[index] === wanted) this.#damaged.add(index);
      this.#live[index] = color;
    }
    this.#replay.append(rows.map(([seq, x, y, color]) => [seq, x, y, color, Date.now()]));
    this.#bar.update();
    this.#draw();
    this.#scheduleRefresh();
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #indexOf(x, y) {
    return (y - area.y) * area.width + x - area.x;
  }

  /** @param {number} [delay] milliseconds, to which a random delay is added */
  #scheduleRefresh(delay = REFRESH_MS) {
    if (hasEnded) return;
    this.#refreshTimer ||= setTimeout(() => {
      this.#refreshTimer = 0;
      void this.#refresh();
    }, delay + randomDelay(this.#follower?.viewers ?? 1));
  }

  async #refresh() {
    const plan = await getPlan(id).catch((error) => error);
    // Another picture or place, and the end, change most of the page.
    if (plan.status === 404 || plan.version > this.#version || plan.state === 'closed' || plan.ended_at) return location.reload();
    if (plan.progress) showPlan(plan);
  }

  #showMoment() {
    this.#bar.update();
    this.#draw();
  }

  #draw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint() {
    const cells = this.#replay.cells ?? this.#live;
    const isNewest = this.#replay.cells === null;
    this.#painter.clear();
    this.#painter.fill(cells);
    this.#wanted.forEach((wanted, index) => {
      if (wanted === ANY_COLOR || wanted === cells[index]) return;
      if (this.#showsLeft.checked) this.#painter.markWanted(index, wanted);
      else if (isNewest && this.#damaged.has(index)) this.#painter.markDamaged(index);
    });
    this.#bar.showRight(this.#wanted.filter((wanted, index) => wanted !== ANY_COLOR && wanted === cells[index]).length);
  }
}

new PlanPage().start();
if (new Viewer().hasSignedIn && !hasEnded) void import('./plan-tools.js').then(({ startTools }) => startTools(id, data.author ?? ''), () => {});
