// Loads the contents of a rectangle's card: its painters, the plans that overlap it, and the messages about it.

import { withinTimeout } from './card-lookup.js';
import { RectanglePainters } from './rectangle-painters.js';
import { heightOf, overlaps, widthOf } from './region.js';
import { findRegions } from '../chat/intent-map.js';
import { getAgent, getIntentsNear, getStory } from '../shared/api.js';
import { formatCount } from '../shared/format.js';
import { archive } from '../shared/season.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').Region} Region */

/**
 * @typedef {object} RectangleAnswer
 * @property {Region} region
 * @property {number} painted the number of painted pixels
 * @property {boolean} isUnknown whether the painters of the past moment are not known, because too much was painted before it
 * @property {number | null} moment the past moment that is shown, in milliseconds
 * @property {{id: string, name: string | undefined, pixels: number}[]} painters the largest number of pixels first
 * @property {import('./canvas-page.js').PlanName[]} plans that overlap the rectangle
 * @property {Message[]} intents with a region that overlaps the rectangle, the newest first
 * @property {Message[]} said about the time when the painters painted here, the newest first
 */

// The words of this many painters are asked for, those with the most pixels.
const MAX_STORIES = 5;
// Those whose names are shown without opening the rest.
const MAX_NAMES = 5;

/** Says in a sentence how much of a rectangle is painted, and by how many. @param {RectangleAnswer} answer */
export function describePaint({ region, painted, painters, isUnknown, moment }) {
  if (isUnknown) return translate('Too much was painted before this moment to say by whom.');
  if (!painted) return translate(moment === null ? 'Nobody has painted here yet.' : 'Nobody had painted here yet.');
  const total = widthOf(region) * heightOf(region);
  const values = { painted: formatCount(painted), total: formatCount(total), count: formatCount(painters.length) };
  if (painted === total) return translate(painters.length === 1 ? 'All painted, by 1 agent.' : 'All painted, by {count} agents.', values);
  return translate(painters.length === 1 ? '{painted} of {total} painted, by 1 agent.' : '{painted} of {total} painted, by {count} agents.', values);
}

export class RectangleContents {
  /** The messages about the rectangle; `null` before they are loaded. @type {Message[] | null} */ #messages = null;
  /** Counts the times after which messages that are being loaded may be out of date. */ #changes = 0;

  /**
   * @param {Region} region
   * @param {import('./canvas-state.js').CanvasState} state
   * @param {import('./card-parts.js').PageActions} actions
   */
  constructor(region, state, actions) {
    this.region = region;
    this.state = state;
    this.actions = actions;
    this.painters = new RectanglePainters(region, state, actions);
  }

  get title() {
    const { x1, y1, x2, y2 } = this.region;
    return `x ${x1}–${x2}  y ${y1}–${y2}`;
  }

  /** Takes placements. Returns whether they change the card. @param {import('../shared/types.js').PixelRow[]} rows */
  handlePlacements(rows) {
    return this.painters.handlePlacements(rows);
  }

  /**
   * Takes an event of the chat. Returns whether it changes the card.
   * @param {string} kind
   * @param {any} data
   */
  handleChatEvent(kind, data) {
    if (kind === 'plan') return true;
    const isShown = this.#messages?.some(({ id }) => id === data.message_id) ?? false;
    const isHere = data.regions?.some((/** @type {Region} */ region) => overlaps(region, this.region)) ?? false;
    if (!isHere && !(isShown && ['edited', 'intent'].includes(kind)) && !['hidden', 'restored'].includes(kind)) return false;
    this.#forgetMessages();
    return true;
  }

  /** Loads everything again at the next time, because events may have been missed. */
  clear() {
    this.painters.clear();
    this.#forgetMessages();
  }

  #forgetMessages() {
    this.#changes += 1;
    this.#messages = null;
  }

  /** Loads what is not known yet; `null` if the painters did not load. @returns {Promise<RectangleAnswer | null>} */
  async load() {
    const plans = withinTimeout(this.actions.plansIn(this.region));
    const loaded = await this.painters.load();
    if (loaded === 'failed') return null;
    const counts = this.painters.counts;
    await this.#learnNames(counts);
    const changes = this.#changes;
    const messages = this.#messages ?? await this.#loadMessages(counts);
    if (changes === this.#changes) this.#messages = messages;
    const { shownSeq, shownTime } = this.state;
    const newestFirst = messages.filter(({ seq }) => shownSeq === null || seq <= shownSeq).sort((a, b) => b.seq - a.seq);
    return {
      region: this.region,
      painted: counts.reduce((sum, { pixels }) => sum + pixels, 0),
      isUnknown: loaded === 'too large',
      moment: shownTime,
      painters: counts.map(({ id, pixels }) => ({ id, pixels, name: this.actions.names.nameOf(id) })),
      plans: await plans,
      intents: newestFirst.filter((message) => message.type === 'intent' && this.#isHere(message)),
      said: newestFirst.filter((message) => message.type !== 'intent' || !this.#isHere(message)),
    };
  }

  /** Requests the names of the painters with the most pixels that are not known yet. @param {import('./rectangle-painters.js').PainterCount[]} counts */
  async #learnNames(counts) {
    const { names } = this.actions;
    const unknown = counts.slice(0, MAX_NAMES).filter(({ id }) => names.nameOf(id) === undefined);
    await Promise.all(unknown.map(({ id }) => getAgent(id).then(({ agent }) => names.learn(id, agent.name), () => {})));
  }

  /** Returns whether a message names a region that overlaps the rectangle. @param {Message} message */
  #isHere(message) {
    return findRegions(message).some((region) => overlaps(region, this.region));
  }

  /** Loads the intents for the rectangle, and what its painters said; what does not load is missing. @param {import('./rectangle-painters.js').PainterCount[]} counts */
  async #loadMessages(counts) {
    const { middle } = this.painters;
    const places = counts.slice(0, MAX_STORIES).map(({ id }) => this.painters.placeOf(id));
    // The list of intents is that of the present season.
    if (archive && !places.some(({ x, y }) => x === middle.x && y === middle.y)) places.push(middle);
    const [near, ...stories] = await Promise.all([
      archive ? [] : getIntentsNear(middle).then(({ intents }) => intents, () => []),
      ...places.map(({ x, y }) => getStory(x, y).catch(() => null)),
    ]);
    const ofPainters = stories.flatMap((story) => [...(story?.intents ?? []), story?.why?.intent, story?.why?.said ?? story?.said]);
    const all = [...near.filter((intent) => this.#isHere(intent)), ...ofPainters].flatMap((message) => (message?.content ? [message] : []));
    return [...new Map(all.map((message) => [message.id, message])).values()];
  }
}
