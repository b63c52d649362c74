// Loads pixels and agents for the card: when they are opened, and again when they change.

import { CardHistory, rememberedSubject } from './card-history.js';
import { updateHighlightButton } from './card-parts.js';
import { cardPlace, positionCard } from './card-position.js';
import { Card } from './card.js';
import { describeMissingPixel, describePixel } from './pixel-text.js';
import { getAgent, getPixel, getStory } from '../shared/api.js';
import { formatCount, updateAges } from '../shared/format.js';
import { reportLoadFailure, showNotice } from '../shared/lazy-load.js';
import { hashField, setHashField } from '../shared/url-hash.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {{x: number, y: number}} Point */

/**
 * @typedef {object} PageActions  what a card needs from the page
 * @property {import('./canvas-view.js').CanvasView} view
 * @property {import('../chat/intent-map.js').RegionActions} regionActions
 * @property {(point: Point) => Promise<import('./canvas-page.js').WantedColor[]>} plansAt returns the plans that want another colour for a pixel
 * @property {(text: string) => void} announce
 * @property {(id: string) => void} showMessage shows a message in the chat
 * @property {() => void} closeSheet closes the chat sheet, which covers the canvas
 */

const REFRESH_DELAY_MS = 700;
const AGES_INTERVAL_MS = 15000;
const PREPARED_MS = 2000;
// The card does not wait longer for the plans, which load after it on a slow connection.
const PLANS_TIMEOUT_MS = 1500;

export class Inspector {
  /** @type {Point | null} */ #point = null;
  #isPast = false;
  /** The agent whom the card is about. @type {string | null} */ #agentId = null;
  /** The painter of the pixel, or the agent of the card: its messages change the card. @type {string | null} */ #relatedAgentId = null;
  #refreshTimer = 0;
  /** Numbers the requests: the answer to an older one is dropped. */ #requestId = 0;
  /** The answer that the card shows, as JSON. */ #shownResponse = '';
  /** The answer for a pixel whose card may open next. @type {{point: Point, at: number, answer: Promise<unknown>} | null} */ #prepared = null;

  /**
   * @param {HTMLElement} node
   * @param {import('./canvas-state.js').CanvasState} state
   * @param {PageActions} actions
   */
  constructor(node, state, actions) {
    this.card = new Card(node);
    this.state = state;
    this.actions = actions;
    this.history = new CardHistory({ close: () => this.card.close(), reopen: (subject) => this.#reopen(subject) });
    this.card.onClose = () => this.#handleClose();
    actions.view.moveListeners.push(() => this.#reposition());
    actions.view.momentListeners.push((past) => this.#handleMoment(past));
    actions.view.agentHighlightListeners.push(() => node.querySelectorAll('[data-focus-key=highlight]').forEach(updateHighlightButton));
    window.addEventListener('hashchange', () => this.restore());
    setInterval(() => { if (this.card.isOpen && !document.hidden) updateAges(node); }, AGES_INTERVAL_MS);
  }

  /** Reloads the card when the canvas switches between live and past, because the card says which it shows. @param {boolean} past */
  #handleMoment(past) {
    if (past === this.#isPast) return;
    this.#isPast = past;
    if (this.card.isOpen) void this.#load(false, true);
  }

  /** Loads a pixel whose card is about to open. @param {Point} point */
  prepare(point) {
    this.#prepared = { point, at: performance.now(), answer: this.#lookUpPixel(point) };
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
    this.card.open('Painter', { focus: true });
    await this.#load(true);
  }

  /** Opens the card that was open when the page was left, or the pixel that the URL names, as a copied link does. */
  restore() {
    const field = hashField('pixel');
    const remembered = rememberedSubject();
    if (field === null) return remembered && !this.card.isOpen ? this.#reopen(remembered) : undefined;
    const [x, y] = field.split(/[.,]/).map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : NaN));
    if (this.state.contains(x, y)) return void this.#openPixel({ x, y });
    setHashField('pixel', null);
    showNotice(describeMissingPixel(x, y, this.state));
  }

  /** Opens the card of an entry of the history again. @param {import('./card-history.js').Subject} subject */
  #reopen(subject) {
    if ('agent' in subject) void this.openAgent(subject.agent);
    else if (this.state.contains(subject.x, subject.y)) void this.open(subject);
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  handlePlacements(rows) {
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
    if (kind === 'plan') return this.#scheduleRefresh();
    if (kind === 'edited' && this.#shownResponse.includes(data.message_id)) return this.#scheduleRefresh();
    // The intent may be one that the card shows, or be moved to the pixel.
    if (kind === 'intent' && (this.#shownResponse.includes(data.message_id) || (this.#point && containsPoint(data, this.#point)))) this.#scheduleRefresh();
    if (kind !== 'chat') return;
    if (data.agent_id === this.#relatedAgentId || (this.#point && containsPoint(data, this.#point))) this.#scheduleRefresh();
  }

  /** Reloads the card's content if it may be outdated. */
  refresh() {
    if (!this.card.isOpen) return;
    if (this.#point && !this.state.contains(this.#point.x, this.#point.y)) this.card.close();
    else this.#scheduleRefresh();
  }

  /** @param {Point | null} point @param {string | null} agentId */
  #setSubject(point, agentId) {
    this.#point = point;
    this.#agentId = agentId;
    this.#relatedAgentId = agentId;
    this.#shownResponse = '';
    this.actions.regionActions.outline([]);
  }

  #handleClose() {
    this.#setSubject(null, null);
    this.#requestId++;
    clearTimeout(this.#refreshTimer);
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
    if (this.#point && this.card.isOpen) positionCard(this.card.node, this.actions.view, this.#point);
  }

  #scheduleRefresh() {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => this.#load(false), REFRESH_DELAY_MS);
  }

  /**
   * @param {boolean} announces
   * @param {boolean} [force] also where the answer is the same
   */
  async #load(announces, force = false) {
    const requestId = ++this.#requestId;
    /** @type {any} */ const answer = this.#agentId ? await getAgent(this.#agentId).catch(() => null) : await (this.#takePrepared() ?? this.#lookUpPixel(this.#point));
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
    if (announces) this.actions.announce(describeResponse(answer, this.state));
  }

  /** Returns the answer that was prepared for the pixel, once; `null` if there is none, or an old one. */
  #takePrepared() {
    const [prepared, point] = [this.#prepared, this.#point];
    this.#prepared = null;
    const isFresh = prepared && performance.now() - prepared.at < PREPARED_MS && prepared.point.x === point?.x && prepared.point.y === point.y;
    return isFresh ? prepared.answer : null;
  }

  /** Loads a pixel, its story and the plans for it; without the last two, the painter and the history are left. @param {Point | null} point */
  async #lookUpPixel(point) {
    if (!point) return null;
    const [pixel, story, plans] = await Promise.all([
      getPixel(point.x, point.y).catch(() => null),
      getStory(point.x, point.y).catch(() => null),
      Promise.race([this.actions.plansAt(point).catch(() => []), new Promise((done) => setTimeout(() => done([]), PLANS_TIMEOUT_MS))]),
    ]);
    return pixel && { pixel, story, plans };
  }

  /**
   * @param {any} answer
   * @returns {Promise<Node[]>}
   */
  async #renderParts(answer) {
    const openAgent = (/** @type {string} */ id) => void this.openAgent(id);
    const context = { state: this.state, actions: this.actions, openAgent, showMessage: (/** @type {string} */ id) => this.#showInChat(id), makeRoom: () => { if (cardPlace() !== 'column') this.card.close(); } };
    if (this.#agentId) return (await import('../people/agent-card.js')).renderAgentCard(answer, context);
    return (await import('./pixel-card.js')).renderPixelCard(answer, context);
  }
}

/**
 * @param {Pick<Message, 'regions'>} intent
 * @param {Point} point
 */
function containsPoint({ regions }, { x, y }) {
  return !!regions?.some(({ x1, y1, x2, y2 }) => x >= x1 && x <= x2 && y >= y1 && y <= y2);
}

/**
 * @param {any} answer
 * @param {import('./canvas-state.js').CanvasState} state
 */
function describeResponse(answer, state) {
  if (!answer) return 'This did not load. Try again.';
  if (!answer.agent) return describePixel(state, answer.pixel);
  const { name, pixels_placed: count } = answer.agent;
  return count === 1 ? `${name}: 1 pixel placed` : `${name}: ${formatCount(count)} pixels placed`;
}
