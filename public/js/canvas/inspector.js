// Looks pixels and painters up for the card: when they are asked about, and again when something happens to them.

import { getAgentCard, getPixel, getStory } from '../shared/api.js';
import { Card } from './card.js';
import { showLight } from './card-parts.js';
import { isSheet, place } from './card-position.js';
import { hashField, setHashField } from '../shared/url-hash.js';
import { missed } from '../shared/lazy-load.js';
import { agoTag, renewAges } from '../shared/format.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {{x: number, y: number}} Spot */

/**
 * @typedef {object} Room  what a card needs from the page around it
 * @property {import('./canvas-view.js').CanvasView} view
 * @property {import('../chat/plan-map.js').Guide} guide
 * @property {(text: string) => void} say
 * @property {(id: string) => void} read shows a message in the chat
 * @property {() => void} uncover takes away what lies over the canvas
 */

const AGAIN_MS = 700;
const AGES_MS = 15000;

export class Inspect {
  /** @type {Spot | null} */ #spot = null;
  #past = false;
  /** The painter whom the card is about. @type {string | null} */ #painter = null;
  /** Whoever painted the pixel, or is the painter: their words change the card. @type {string | null} */ #who = null;
  #again = 0;
  /** Counts the looks: an answer to an older one is dropped. */ #turn = 0;
  /** What the card says now. */ #said = '';

  /**
   * @param {HTMLElement} node
   * @param {import('./canvas-state.js').CanvasState} state
   * @param {Room} room
   */
  constructor(node, state, room) {
    this.card = new Card(node);
    this.state = state;
    this.room = room;
    this.card.onClose = () => this.#closed();
    room.view.moves.push(() => this.#place());
    room.view.shows.push((past) => this.#showed(past));
    room.view.lights.push(() => node.querySelectorAll('[data-key=light]').forEach(showLight));
    window.addEventListener('hashchange', () => this.restore());
    setInterval(() => { if (this.card.isOpen && !document.hidden) renewAges(node); }, AGES_MS);
  }

  /** The card says so when the canvas and it tell of different times. @param {boolean} past */
  #showed(past) {
    if (past === this.#past) return;
    this.#past = past;
    if (this.card.isOpen) void this.#look(false, true);
  }

  /** @param {Spot} spot */
  async open(spot) {
    this.#about(spot, null);
    this.room.view.choose(spot);
    this.card.open(`x ${spot.x}  y ${spot.y}`);
    this.#place();
    await this.#look(true);
  }

  /**
   * An agent, whose pixels light up too.
   * @param {string} id
   */
  async openAgent(id) {
    this.#about(null, id);
    this.room.view.choose(null);
    this.room.uncover();
    this.room.view.light(id);
    this.card.open('Painter', { focus: true });
    await this.#look(true);
  }

  /** Opens the pixel that the address asks about, as a copied link does. */
  restore() {
    const [x, y] = (hashField('pixel') ?? '').split('.').map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : NaN));
    if (this.state.has(x, y)) void this.open({ x, y });
  }

  /** @param {import('../shared/types.js').PixelRow[]} rows */
  saw(rows) {
    const [spot, painter] = [this.#spot, this.#painter];
    if (!spot && !painter) return;
    if (rows.some(([, x, y, , id]) => (spot ? x === spot.x && y === spot.y : id === painter))) this.#soon();
  }

  /**
   * Something happened in the chat.
   * @param {string} kind
   * @param {any} data
   */
  heard(kind, data) {
    if (kind === 'hidden' || kind === 'restored') return this.again();
    if (kind !== 'chat' || !this.card.isOpen) return;
    if (data.agent_id === this.#who || (this.#spot && covers(data, this.#spot))) this.#soon();
  }

  /** What the card says may not be so any more. */
  again() {
    if (!this.card.isOpen) return;
    if (this.#spot && !this.state.has(this.#spot.x, this.#spot.y)) this.card.close();
    else this.#soon();
  }

  /**
   * @param {Spot | null} spot
   * @param {string | null} painter
   */
  #about(spot, painter) {
    this.#spot = spot;
    this.#painter = painter;
    this.#who = painter;
    this.#said = '';
    this.room.guide.outline(null);
  }

  #closed() {
    this.#about(null, null);
    this.#turn++;
    clearTimeout(this.#again);
    this.room.view.choose(null);
    if (hashField('pixel')) setHashField('pixel', null);
  }

  /** The sheets of chat and card have one place. @param {string} id */
  #read(id) {
    if (isSheet(this.card.node)) this.card.close();
    this.room.read(id);
  }

  #place() {
    if (this.#spot && this.card.isOpen) place(this.card.node, this.room.view, this.#spot);
  }

  #soon() {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#look(false), AGAIN_MS);
  }

  /**
   * @param {boolean} aloud
   * @param {boolean} [anew] also where the answer is the same
   */
  async #look(aloud, anew = false) {
    const turn = ++this.#turn;
    /** @type {any} */ const answer = this.#painter ? await lookUpAgent(this.#painter) : await lookUpPixel(this.#spot);
    if (turn !== this.#turn || !this.card.isOpen) return;
    const said = JSON.stringify(answer);
    if (said === this.#said && !anew) return;
    this.#said = said;
    this.#who = this.#painter ?? answer?.pixel?.agent_id ?? null;
    const parts = await this.#parts(answer).catch(missed);
    if (!parts || turn !== this.#turn) return;
    this.room.guide.outline(null);
    this.card.fill(...parts);
    this.#place();
    if (aloud) this.room.say(inWords(answer));
  }

  /**
   * @param {any} answer
   * @returns {Promise<Node[]>}
   */
  async #parts(answer) {
    const openAgent = (/** @type {string} */ id) => void this.openAgent(id);
    const around = { state: this.state, room: this.room, openAgent, read: (/** @type {string} */ id) => this.#read(id) };
    if (this.#painter) return (await import('../people/agent-card.js')).agentCard(answer, around);
    return (await import('./pixel-card.js')).pixelCard(answer, around);
  }
}

/** @param {string} id */
async function lookUpAgent(id) {
  return getAgentCard(id).catch(() => null);
}

/** Without its story a pixel can still tell who painted it. @param {Spot | null} spot */
async function lookUpPixel(spot) {
  if (!spot) return null;
  const [pixel, story] = await Promise.all([getPixel(spot.x, spot.y).catch(() => null), getStory(spot.x, spot.y).catch(() => null)]);
  return pixel && { pixel, story };
}

/**
 * @param {Message} message
 * @param {Spot} spot
 */
function covers({ region }, { x, y }) {
  return !!region && x >= region.x1 && x <= region.x2 && y >= region.y1 && y <= region.y2;
}

/** @param {any} answer */
function inWords(answer) {
  if (!answer) return 'This cannot be looked up just now.';
  if (answer.agent) return `${answer.agent.name}: ${answer.agent.pixels_placed} pixels placed`;
  const { agent_name: name, placed_at: at } = answer.pixel;
  return name ? `Painted by ${name}, ${agoTag(at).textContent}` : 'Nobody has painted here yet.';
}
