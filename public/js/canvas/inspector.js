// Loads pixels and agents for the card: when they are opened, and again when they change.

import { updateHighlightButton } from './card-parts.js';
import { isBottomSheet, positionCard } from './card-position.js';
import { Card } from './card.js';
import { findPastPixel } from './past-pixel.js';
import { renderPixelCard } from './pixel-card.js';
import { renderAgentCard } from '../people/agent-card.js';
import { getAgent, getPixel, getStory } from '../shared/api.js';
import { agoTag, beforeTag, updateAges } from '../shared/format.js';
import { reportLoadFailure } from '../shared/lazy-load.js';
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
// How often the card follows a replay.
const REPLAY_INTERVAL_MS = 500;
// The card does not wait longer for the plans, which load after it on a slow connection.
const PLANS_TIMEOUT_MS = 1500;

export class Inspector {
  /** @type {Point | null} */ #point = null;
  /** The moment that the card shows; `null` for now. @type {number | null} */ #shownSeq = null;
  /** What the server said of the pixel while the past is shown. @type {{pixel: import('../shared/types.js').Pixel, story: import('../shared/types.js').Story | null} | null} */ #pastAnswer = null;
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
    this.state = state;
    this.actions = actions;
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
    if (shownSeq === null) this.#pastAnswer = null;
    if (this.card.isOpen && (this.#point || isOtherTense)) void this.#load(false, true);
  }

  /** @param {Point} point */
  async open(point) {
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
    this.#setSubject(null, id);
    this.actions.view.selectPixel(null);
    this.actions.closeSheet();
    this.actions.view.highlightAgent(id);
    this.card.open('Painter', { focus: true });
    await this.#load(true);
  }

  /** Opens the pixel that the URL names, as a copied link does. */
  restore() {
    const [x, y] = (hashField('pixel') ?? '').split('.').map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : NaN));
    if (this.state.contains(x, y)) void this.open({ x, y });
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

  /**
   * @param {Point | null} point
   * @param {string | null} agentId
   */
  #setSubject(point, agentId) {
    this.#point = point;
    this.#agentId = agentId;
    this.#relatedAgentId = agentId;
    this.#shownResponse = '';
    this.#pastAnswer = null;
    this.actions.regionActions.outline([]);
  }

  #handleClose() {
    this.#setSubject(null, null);
    this.#requestId++;
    clearTimeout(this.#refreshTimer);
    this.actions.view.selectPixel(null);
    if (hashField('pixel')) setHashField('pixel', null);
  }

  /** Shows a message in the chat; on small screens the card gives way to the chat sheet. @param {string} id */
  #showInChat(id) {
    if (isBottomSheet(this.card.node)) this.card.close();
    this.actions.showMessage(id);
  }

  #reposition() {
    if (this.#point && this.card.isOpen) positionCard(this.card.node, this.actions.view, this.#point);
  }

  #scheduleRefresh() {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => {
      this.#pastAnswer = null;
      void this.#load(false);
    }, REFRESH_DELAY_MS);
  }

  /**
   * @param {boolean} announces
   * @param {boolean} [force] also where the answer is the same
   */
  async #load(announces, force = false) {
    const requestId = ++this.#requestId;
    /** @type {any} */ const answer = this.#agentId ? await lookUpAgent(this.#agentId) : await this.#lookUpPixel(this.#point);
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
    if (announces) this.actions.announce(describeResponse(answer));
  }

  /** Loads a pixel, its story and the plans for it; without the last two, the painter and the history are left. @param {Point | null} point */
  async #lookUpPixel(point) {
    if (!point) return null;
    if (this.state.shownSeq !== null) return this.#lookUpPastPixel(point);
    const [pixel, story, plans] = await Promise.all([
      getPixel(point.x, point.y).catch(() => null),
      getStory(point.x, point.y).catch(() => null),
      Promise.race([this.actions.plansAt(point).catch(() => []), new Promise((done) => setTimeout(() => done([]), PLANS_TIMEOUT_MS))]),
    ]);
    return pixel && { pixel, story, plans };
  }

  /** Returns the pixel at the shown moment; the server is asked once for all moments. @param {Point} point */
  async #lookUpPastPixel(point) {
    const [pixel, story] = await Promise.all([
      this.#pastAnswer?.pixel ?? getPixel(point.x, point.y).catch(() => null),
      this.#pastAnswer ? this.#pastAnswer.story : getStory(point.x, point.y).catch(() => null),
    ]);
    const { shownSeq: seq, shownTime: time } = this.state;
    if (!pixel || seq === null || time === null) return null;
    if (point === this.#point) this.#pastAnswer = { pixel, story };
    return { ...findPastPixel(pixel, story, { seq, time }), plans: [], moment: time };
  }

  /**
   * @param {any} answer
   * @returns {Promise<Node[]>}
   */
  async #renderParts(answer) {
    const openAgent = (/** @type {string} */ id) => void this.openAgent(id);
    const context = { state: this.state, actions: this.actions, openAgent, showMessage: (/** @type {string} */ id) => this.#showInChat(id) };
    if (this.#agentId) return renderAgentCard(answer, context);
    return renderPixelCard(answer, context);
  }
}

/** @param {string} id */
async function lookUpAgent(id) {
  return getAgent(id).catch(() => null);
}

/**
 * @param {Pick<Message, 'regions'>} intent
 * @param {Point} point
 */
function containsPoint({ regions }, { x, y }) {
  return !!regions?.some(({ x1, y1, x2, y2 }) => x >= x1 && x <= x2 && y >= y1 && y <= y2);
}

/** @param {any} answer */
function describeResponse(answer) {
  if (!answer) return 'This did not load. Try again.';
  if (answer.agent) return `${answer.agent.name}: ${answer.agent.pixels_placed} pixels placed`;
  const { agent_name: name, placed_at: at } = answer.pixel;
  if (answer.moment) return name ? `Painted by ${name}, ${beforeTag(at, answer.moment).textContent}` : answer.isUnknown ? 'Its painter at this moment is not known.' : 'Nobody had painted here yet.';
  return name ? `Painted by ${name}, ${agoTag(at).textContent}` : 'Nobody has painted here yet.';
}
