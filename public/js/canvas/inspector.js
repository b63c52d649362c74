// Loads pixels, rectangles and agents for the card: when they are opened, and again when they change.

import { CardHistory, rememberedSubject } from './card-history.js';
import { updateHighlightButton } from './card-parts.js';
import { describeAnswer } from './card-text.js';
import { CardLookup } from './card-lookup.js';
import { cardPlace, positionCard } from './card-position.js';
import { Card } from './card.js';
import { renderPixelCard } from './pixel-card.js';
import { renderRectangleCard } from './rectangle-card.js';
import { RectangleContents } from './rectangle-contents.js';
import { RectangleOutline } from './rectangle-outline.js';
import { isTiny, linkedPixel, linkedRectangle } from './card-link.js';
import { formatRegion, isInside, isOnCanvas, regionBetween } from './region.js';
import { renderAgentCard } from '../people/agent-card.js';
import { updateAges } from '../shared/format.js';
import { reportLoadFailure } from '../shared/lazy-load.js';
import { translate } from '../shared/translate.js';
import { hashField, setHashField } from '../shared/url-hash.js';

/** @typedef {import('./card-parts.js').PageActions} PageActions */
/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */

const REFRESH_DELAY_MS = 700;
const AGES_INTERVAL_MS = 15000;
// How often the card follows a replay.
const REPLAY_INTERVAL_MS = 500;

export class Inspector {
  /** @type {Point | null} */ #point = null;
  /** @type {RectangleContents | null} */ #rectangle = null;
  /** The moment that the card shows; `null` for now. @type {number | null} */ #shownSeq = null;
  /** The agent whom the card is about. @type {string | null} */ #agentId = null;
  /** The painter of the pixel, or the agent of the card: its messages change the card. @type {string | null} */ #relatedAgentId = null;
  #refreshTimer = 0;
  /** Numbers the requests: the answer to an older one is dropped. */ #requestId = 0;
  /** The answer that the card shows, as JSON. */ #shownResponse = '';

  /**
   * @param {HTMLElement} node
   * @param {import('./canvas-state.js').CanvasState} state
   * @param {PageActions} actions
   */
  constructor(node, state, actions) {
    this.card = new Card(node);
    this.outline = new RectangleOutline(actions.view);
    this.state = state;
    this.actions = actions;
    this.lookup = new CardLookup(state, actions);
    this.history = new CardHistory({ close: () => this.card.close(), reopen: (subject) => this.#reopen(subject) });
    this.card.onClose = () => this.#handleClose();
    actions.view.moveListeners.push(() => this.#reposition());
    actions.view.momentListeners.push(() => this.#handleMoment());
    setInterval(() => this.#handleMoment(), REPLAY_INTERVAL_MS);
    actions.view.agentHighlightListeners.push(() => node.querySelectorAll('[data-focus-key=highlight]').forEach(updateHighlightButton));
    window.addEventListener('hashchange', () => this.restore());
    setInterval(() => { if (this.card.isOpen && !document.hidden) updateAges(node); }, AGES_INTERVAL_MS);
  }

  /** Shows the pixel as it was if another moment is shown. */
  #handleMoment() {
    const { shownSeq } = this.state;
    if (shownSeq === this.#shownSeq) return;
    const isOtherTense = shownSeq === null || this.#shownSeq === null;
    this.#shownSeq = shownSeq;
    if (shownSeq === null) this.lookup.clear();
    if (isOtherTense) this.#rectangle?.clear();
    else this.#rectangle?.painters.clear();
    if (this.card.isOpen && (this.#region || isOtherTense)) void this.#load(false, true);
  }

  /** @param {Point} point */
  async open(point) {
    this.history.enter(point);
    await this.#openPixel(point);
  }

  /** @param {Point} point */
  async #openPixel(point) {
    this.#setSubject(point, null);
    this.actions.view.selectPixel(point);
    this.card.open(`x ${point.x}  y ${point.y}`);
    this.#reposition();
    await this.#load(true);
  }

  /**
   * Opens the card of an agent and highlights its pixels.
   * @param {string} id
   */
  async openAgent(id) {
    this.history.enter({ agent: id });
    this.#setSubject(null, id);
    this.actions.view.selectPixel(null);
    this.actions.closeSheet();
    this.actions.view.highlightAgent(id);
    this.card.open(translate('Painter'), { focus: true });
    await this.#load(true);
  }

  /** Opens the card of a rectangle, and outlines it. @param {Region} region */
  async openRectangle(region) {
    this.history.enter({ region });
    await this.#openRectangle(region);
  }

  /** @param {Region} region */
  async #openRectangle(region) {
    const rectangle = new RectangleContents(region, this.state, this.actions);
    this.#setSubject(null, null, rectangle);
    this.actions.view.selectPixel(null);
    setHashField('pixel', null);
    this.card.open(rectangle.title);
    this.#reposition();
    await this.#load(true);
  }

  /** Opens the card that was open when the page was left, or the pixel or the rectangle that the URL names, as a copied link does. */
  restore() {
    const region = linkedRectangle(this.state);
    if (region) return this.#restoreRectangle(region);
    const pixel = linkedPixel(this.state);
    if (pixel) return void this.#openPixel(pixel);
    const remembered = rememberedSubject();
    if (this.#rectangle) this.card.close();
    else if (remembered && !this.card.isOpen) this.#reopen(remembered);
  }

  /** Opens the rectangle of a link; one that would be tiny is shown larger, unless the link names a place. @param {Region} region */
  #restoreRectangle(region) {
    if (this.#rectangle && formatRegion(this.#rectangle.region) === formatRegion(region)) return;
    if (hashField('x') === null && isTiny(region, this.actions.view.camera)) this.actions.regionActions.visit([region]);
    void this.#openRectangle(region);
  }

  /** Opens the card of an entry of the history again. @param {import('./card-history.js').Subject} subject */
  #reopen(subject) {
    if ('agent' in subject) void this.openAgent(subject.agent);
    else if ('region' in subject && isOnCanvas(subject.region, this.state)) void this.openRectangle(subject.region);
    else if ('x' in subject && this.state.contains(subject.x, subject.y)) void this.open(subject);
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  handlePlacements(rows) {
    if (this.#rectangle?.handlePlacements(rows)) this.#scheduleRefresh();
    const [point, agentId] = [this.#point, this.#agentId];
    if (!point && !agentId) return;
    if (rows.some(([, x, y, , id]) => (point ? x === point.x && y === point.y : id === agentId))) this.#scheduleRefresh();
  }

  /**
   * Refreshes the card after a chat event that concerns it.
   * @param {string} kind
   * @param {any} data
   */
  handleChatEvent(kind, data) {
    if (kind === 'hidden' || kind === 'restored') return this.refresh();
    if (!this.card.isOpen) return;
    if (this.#rectangle) return this.#rectangle.handleChatEvent(kind, data) ? this.#scheduleRefresh() : undefined;
    if (kind === 'plan') return this.#scheduleRefresh();
    if (kind === 'edited' && this.#shownResponse.includes(data.message_id)) return this.#scheduleRefresh();
    // The intent may be one that the card shows, or be moved to the pixel.
    if (kind === 'intent' && (this.#shownResponse.includes(data.message_id) || (this.#point && isInside(data.regions, this.#point)))) this.#scheduleRefresh();
    if (kind !== 'chat') return;
    if (data.agent_id === this.#relatedAgentId || (this.#point && isInside(data.regions, this.#point))) this.#scheduleRefresh();
  }

  /** Reloads the card's content if it may be outdated. */
  refresh() {
    if (!this.card.isOpen) return;
    this.#rectangle?.clear();
    const region = this.#region;
    if (region && !isOnCanvas(region, this.state)) this.card.close();
    else this.#scheduleRefresh();
  }

  /** @param {Point | null} point @param {string | null} agentId @param {RectangleContents | null} [rectangle] */
  #setSubject(point, agentId, rectangle = null) {
    this.#point = point;
    this.#rectangle = rectangle;
    this.#agentId = agentId;
    this.#relatedAgentId = agentId;
    this.#shownResponse = '';
    this.lookup.clear();
    this.actions.regionActions.outline([]);
    this.outline.show(rectangle?.region ?? null);
    setHashField('rect', rectangle && formatRegion(rectangle.region));
  }

  /** The part of the canvas that the card is about. @returns {Region | null} */
  get #region() {
    return this.#point ? regionBetween(this.#point, this.#point) : this.#rectangle?.region ?? null;
  }

  #handleClose() {
    this.#setSubject(null, null);
    this.#requestId++;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = 0;
    this.actions.view.selectPixel(null);
    if (hashField('pixel')) setHashField('pixel', null);
    this.history.leave();
  }

  /** Shows a message in the chat; on small screens the card gives way to the chat sheet. @param {string} id */
  #showInChat(id) {
    if (cardPlace() === 'sheet') this.card.close();
    this.actions.showMessage(id);
  }

  #reposition() {
    if (this.#region && this.card.isOpen) positionCard(this.card.node, this.actions.view, this.#region);
  }

  #scheduleRefresh() {
    // Not put off by more events: in a busy rectangle they never pause.
    this.#refreshTimer ||= setTimeout(() => {
      this.#refreshTimer = 0;
      this.lookup.clear();
      void this.#load(false);
    }, REFRESH_DELAY_MS);
  }

  /** @param {boolean} announces @param {boolean} [force] also where the answer is the same */
  async #load(announces, force = false) {
    const requestId = ++this.#requestId;
    /** @type {any} */ const answer = await (this.#agentId ? this.lookup.loadAgent(this.#agentId) : this.#rectangle?.load() ?? this.lookup.loadPixel(this.#point));
    if (requestId !== this.#requestId || !this.card.isOpen) return;
    const shown = JSON.stringify(answer);
    if (shown === this.#shownResponse && !force) return;
    this.#shownResponse = shown;
    this.#relatedAgentId = this.#agentId ?? answer?.pixel?.agent_id ?? null;
    const parts = await this.#renderParts(answer).catch(reportLoadFailure);
    if (!parts || requestId !== this.#requestId) return;
    this.actions.regionActions.outline([]);
    this.card.setContent(...parts);
    this.#reposition();
    if (announces) this.actions.announce(describeAnswer(answer, this.state));
  }

  /** @param {any} answer @returns {Promise<Node[]>} */
  async #renderParts(answer) {
    const openAgent = (/** @type {string} */ id) => void this.openAgent(id);
    const context = { state: this.state, actions: this.actions, openAgent, showMessage: (/** @type {string} */ id) => this.#showInChat(id), makeRoom: () => { if (cardPlace() !== 'column') this.card.close(); } };
    if (this.#agentId) return renderAgentCard(answer, context);
    return this.#rectangle ? renderRectangleCard(answer, context) : renderPixelCard(answer, context);
  }
}
