// The parts that the live page and the page of an ended season share: the canvas, its card and tools, and the chat, connected.

import { AgentPlaces } from './agent-places.js';
import { CanvasState } from './canvas-state.js';
import { CanvasView } from './canvas-view.js';
import { KeyboardInput } from './keyboard-input.js';
import { showZoom } from './pointer-info.js';
import { PointerInput } from './pointer-input.js';
import { RectangleLoader } from './rectangle-loader.js';
import { startToolbar } from './toolbar.js';
import { startBottomSheet } from '../chat/bottom-sheet.js';
import { Chat } from '../chat/chat.js';
import { redrawRegionPictures } from '../chat/region-pictures.js';
import { AgentNames } from '../people/agent-names.js';
import { byId } from '../shared/dom.js';
import { loadLater, loadTools, once, reportLoadFailure } from '../shared/lazy-load.js';
import { startTheme } from '../shared/theme.js';
import { hashField, startUrlHash } from '../shared/url-hash.js';

/** @typedef {import('./inspector.js').Inspector} Inspector */
/** @typedef {import('../shared/types.js').PixelRow} PixelRow */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{id: string, title: string, color: number}} WantedColor  a plan, and the palette index that it wants for a pixel */
/** @typedef {{id: string, title: string}} PlanName */

// Parts that the first view does not need do not compete with it.
const LATER_MS = 1000;
const VISIT_CELL = 12;
const MAX_VISIT_CELL = 32;
const VISIT_MARGIN = 8;

/** Resolves when the first view is complete, or at once if the URL has the field that is waited for. @param {string} [field] */
export async function waitForFirstView(field) {
  if (!field || hashField(field) === null) await new Promise((done) => setTimeout(done, LATER_MS));
}

/** Says a text to screen readers. @param {string} text */
function announce(text) {
  byId('announcement').textContent = text;
}

export class CanvasPage {
  state = new CanvasState();
  names = new AgentNames();
  places = new AgentPlaces();
  sheet = startBottomSheet();
  /** Returns the plans that want another colour for a pixel. @type {(point: Point) => Promise<WantedColor[]>} */ plansAt = async () => [];
  /** Returns the plans that overlap a rectangle. @type {(region: Region) => Promise<PlanName[]>} */ plansIn = async () => [];
  /** Loaded when first used. @type {Inspector | null} */ inspector = null;
  /** Actions of the lists of painters. @type {import('../people/painters.js').PainterActions} */ painterActions = { openAgent: (id) => this.openAgent(id), visit: (x, y) => this.showPixel(x, y) };
  #canvas = /** @type {HTMLCanvasElement} */ (byId('pixels'));
  /** Loaded with the first placements. @type {import('./name-tags.js').NameTags | null} */ #nameTags = null;
  /** Counts the cards of pixels that were asked for or undone. */ #openings = 0;
  /** Loaded with the first message. @type {import('./message-captions.js').MessageCaptions | null} */ #captions = null;
  /** Loaded with the first lens or card. @type {import('./heatmap-source.js').HeatmapSource | null} */ #heatmaps = null;
  #loadHeatmaps = once(async () => (this.#heatmaps = new (await loadTools()).HeatmapSource(this.state)));
  #loadInspector = once(() => this.#createInspector());
  #loadNameTags = once(() => this.#createNameTags());
  #loadCaptions = once(() => this.#createCaptions());
  #loadAnnouncer = once(async () => new (await loadTools()).PixelAnnouncer(this.state, announce));

  /** @param {import('../people/viewer.js').Viewer} viewer */
  constructor(viewer) {
    const { state, names } = this;
    state.reserve(byId('frame').dataset);
    const overlay = /** @type {HTMLCanvasElement} */ (byId('overlay'));
    this.view = new CanvasView({ slot: byId('frame-slot'), frame: byId('frame'), canvas: this.#canvas, overlay }, state);
    this.urlHash = startUrlHash(this.view);
    this.regionActions = { outline: (/** @type {Region[]} */ regions) => this.view.outlineRegions(regions), visit: (/** @type {Region[]} */ regions) => this.showRegions(regions) };
    this.chat = new Chat({ state, regionActions: this.regionActions, names, viewer, openAgent: (id) => this.openAgent(id) });
    this.toolbar = startToolbar({ view: this.view, state, names, loadHeatmaps: this.#loadHeatmaps, clearNameTags: () => this.#nameTags?.clear() });
    this.rectangles = new RectangleLoader(this);
    this.#connect();
    startTheme(byId('theme'));
    void waitForFirstView().then(loadLater).then(({ showSerif }) => showSerif()).catch(() => {});
  }

  #connect() {
    const { view, toolbar, rectangles } = this;
    const handlers = {
      keys: toolbar.keys,
      prepare: (/** @type {Point} */ point) => this.withInspector((inspector) => inspector.lookup.prepare(point)),
      pick: (/** @type {Point} */ point) => { if (!rectangles.takeCorner(point)) this.#openPixel(point); },
      undoPick: () => {
        this.#openings++;
        this.inspector?.card.close();
      },
      hover: (/** @type {Point | null} */ point) => {
        toolbar.showPointer(point);
        rectangles.movePointer(point);
      },
      takePointer: (/** @type {PointerEvent} */ event) => rectangles.takePointer(event),
      isDrawing: () => rectangles.isOn,
      walk: (/** @type {Point | null} */ point) => void this.#loadAnnouncer().then((announcer) => announcer.announceSoon(point), () => {}),
    };
    new PointerInput(this.#canvas, view, handlers);
    new KeyboardInput(this.#canvas, view, handlers);
    view.moveListeners.push(() => showZoom(view.camera), this.urlHash.save, () => this.#nameTags?.reposition(), () => this.#captions?.reposition());
    view.renderer.drawListeners.push(redrawRegionPictures);
    view.appliedListeners.push((rows) => this.places.addPlacements(rows));
    view.momentListeners.push(() => this.places.clear(), () => this.#captions?.clear());
    this.chat.shownListeners.push((kind, data) => void this.#loadCaptions().then((captions) => captions.handleEvent(kind, data), () => {}));
    view.placementListeners.push((rows) => void this.#loadNameTags().then((loaded) => loaded.addPlacements(rows), () => {}));
    window.addEventListener('hashchange', () => { if (!this.inspector) this.#restoreCard(); });
    showZoom(view.camera);
  }

  async #createNameTags() {
    await waitForFirstView();
    const { NameTags } = await loadLater();
    return (this.#nameTags = new NameTags(byId('layers'), this.view.renderer, this.names));
  }

  async #createCaptions() {
    const nameTags = await this.#loadNameTags();
    const { MessageCaptions } = await loadLater();
    const findMessage = (/** @type {string} */ id) => this.chat.log.store.find(id);
    return (this.#captions = new MessageCaptions(byId('layers'), this.view.renderer, { places: this.places, nameTags, findMessage }));
  }

  async #createInspector() {
    const [{ Inspector }, heatmaps] = await Promise.all([loadTools(), this.#loadHeatmaps()]);
    return (this.inspector = new Inspector(byId('inspect'), this.state, {
      view: this.view,
      regionActions: this.regionActions,
      announce,
      plansAt: (point) => this.plansAt(point),
      plansIn: (region) => this.plansIn(region),
      drawRectangle: () => this.rectangles.draw(),
      names: this.names,
      heatmaps,
      showMessage: (id) => void this.chat.showMessage(id),
      closeSheet: () => this.sheet.close(),
    }));
  }

  /** Opens the card of a pixel, unless that is undone before the card is loaded. @param {Point} point */
  #openPixel(point) {
    const opening = ++this.#openings;
    this.withInspector((inspector) => { if (opening === this.#openings) void inspector.open(point); });
  }

  /** @param {(inspector: Inspector) => void} act */
  withInspector(act) {
    void this.#loadInspector().then(act, reportLoadFailure);
  }

  /** Opens the card of an agent and highlights its pixels, which are brought in sight. @param {string} id */
  openAgent(id) {
    this.view.elements.frame.scrollIntoView({ block: 'nearest' });
    this.withInspector((inspector) => void inspector.openAgent(id));
  }

  /** Opens the card of the pixel or the rectangle in the URL, as a copied link does, or the one that was open when the page was left. */
  #restoreCard() {
    const isWanted = hashField('pixel') !== null || hashField('rect') !== null || history.state?.card;
    if (isWanted && !this.inspector?.card.isOpen) this.withInspector((inspector) => inspector.restore());
  }

  /** Shows a canvas that was loaded, for the first time or again. @param {import('../shared/types.js').CanvasBody} body */
  showCanvas(body) {
    this.state.load(body);
    this.view.reload();
    // The picture of the rendered page stays until the canvas is drawn over it, with the next frame.
    requestAnimationFrame(() => document.getElementById('picture')?.remove());
    this.urlHash.restore();
    this.#heatmaps?.reset();
    this.toolbar.handleReload();
    this.#restoreCard();
  }

  /**
   * Shows a place on the canvas that the visitor asked for.
   * @param {number} x
   * @param {number} y
   * @param {number} cell
   */
  #showPlace(x, y, cell) {
    this.view.takeControl();
    this.view.elements.frame.scrollIntoView({ block: 'nearest' });
    this.view.animateTo(x, y, cell);
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  showPixel(x, y) {
    this.#showPlace(x + 0.5, y + 0.5, Math.max(VISIT_CELL, this.view.camera.cssCell));
  }

  /** Shows all of these regions at once. @param {Region[]} regions */
  showRegions(regions) {
    this.sheet.close();
    const [x1, y1] = [Math.min(...regions.map((region) => region.x1)), Math.min(...regions.map((region) => region.y1))];
    const [width, height] = [Math.max(...regions.map(({ x2 }) => x2)) - x1 + 1, Math.max(...regions.map(({ y2 }) => y2)) - y1 + 1];
    const cell = Math.min(this.#canvas.clientWidth / (width + VISIT_MARGIN), this.#canvas.clientHeight / (height + VISIT_MARGIN));
    this.#showPlace(x1 + width / 2, y1 + height / 2, Math.min(MAX_VISIT_CELL, cell));
  }
}
