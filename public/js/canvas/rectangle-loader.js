// Connects the rectangle tool with the canvas page; the tool itself is loaded when it is first used.

import { byId } from '../shared/dom.js';
import { loadLater, once, reportLoadFailure } from '../shared/lazy-load.js';

/** @typedef {import('./rectangle-tool.js').RectangleTool} RectangleTool */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */

export class RectangleLoader {
  /** @type {RectangleTool | null} */ #tool = null;
  #load = once(async () => {
    const { RectangleTool } = await loadLater();
    return (this.#tool = new RectangleTool(this.page.view, {
      choose: (region) => this.page.withInspector((inspector) => inspector.openRectangle(region)),
      pick: (point) => this.page.withInspector((inspector) => inspector.open(point)),
      makeRoom: () => this.#makeRoom(),
      announce: (text) => { byId('announcement').textContent = text; },
    }));
  });

  /** @param {import('./canvas-page.js').CanvasPage} page */
  constructor(page) {
    this.page = page;
    const { keys } = page.toolbar;
    keys.r = keys.R = () => this.#withTool((tool) => tool.toggle());
    byId('rectangle').addEventListener('click', keys.r);
  }

  /** Returns whether corners of a rectangle are being chosen. */
  get isOn() {
    return this.#tool?.isOn ?? false;
  }

  /**
   * Takes over the mouse for a rectangle: with Shift, or while the tool is on. Returns whether it did.
   * @param {PointerEvent} event
   */
  takePointer(event) {
    if (event.pointerType !== 'mouse' || !(event.shiftKey || this.isOn)) return false;
    const { canvas } = this.page.view.elements;
    canvas.setPointerCapture(event.pointerId);
    if (this.#tool) this.#tool.startDrag(event);
    else this.#startWhenLoaded(event, canvas);
    return true;
  }

  /**
   * Starts a drag once the tool is loaded; it may have ended by then.
   * @param {PointerEvent} press
   * @param {HTMLElement} canvas
   */
  #startWhenLoaded(press, canvas) {
    /** @type {PointerEvent | null} */ let release = null;
    canvas.addEventListener('pointerup', (event) => { release = event; }, { once: true });
    this.#withTool((tool) => {
      tool.startDrag(press);
      if (release) tool.endDrag(release);
    });
  }

  /** Takes a pixel as a corner while the tool is on. Returns whether it did. @param {Point} point */
  takeCorner(point) {
    if (!this.isOn) return false;
    this.#tool?.addCorner(point);
    return true;
  }

  /** @param {Point | null} point */
  movePointer(point) {
    this.#tool?.moveTo(point);
  }

  /** Lets the visitor draw a rectangle; `null` if the visitor cancels. @returns {Promise<Region | null>} */
  async draw() {
    const tool = await this.#load();
    return new Promise((done) => tool.start(done));
  }

  /** @param {(tool: RectangleTool) => void} act */
  #withTool(act) {
    void this.#load().then(act, reportLoadFailure);
  }

  #makeRoom() {
    this.page.sheet.close();
    this.page.inspector?.card.close();
  }
}
