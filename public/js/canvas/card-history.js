// An entry of the browser's history for an open card, so that Back closes the card rather than leaves the page.

import { carryHash } from '../shared/url-hash.js';

/** @typedef {{x: number, y: number} | {agent: string} | {region: import('../shared/types.js').Region}} Subject  the pixel, the agent or the rectangle that a card is about */

/** Returns what the card showed when this entry of the history was left; `null` if it was closed. @returns {Subject | null} */
export const rememberedSubject = () => history.state?.card ?? null;

export class CardHistory {
  /** The subject of the open card. @type {Subject | null} */ #subject = null;
  #isLeaving = false;

  /** @param {{close: () => void, reopen: (subject: Subject) => void}} card */
  constructor(card) {
    this.card = card;
    window.addEventListener('popstate', () => this.#handleMove());
  }

  /** Adds an entry for a card that was opened; another subject of the same card replaces it. @param {Subject} subject */
  enter(subject) {
    this.#subject = subject;
    if (rememberedSubject()) return history.replaceState({ ...history.state, card: subject }, '');
    // Going back does not scroll: the visitor has not left the place.
    history.scrollRestoration = 'manual';
    history.replaceState({ isUnderCard: true }, '');
    history.pushState({ card: subject }, '');
  }

  /** Goes back to the entry before the card, which was closed. */
  leave() {
    this.#subject = null;
    if (!rememberedSubject()) return;
    this.#isLeaving = true;
    history.back();
  }

  /** Closes or opens the card of the entry that the visitor has come to. */
  #handleMove() {
    const [subject, wasLeaving] = [rememberedSubject(), this.#isLeaving];
    this.#isLeaving = false;
    // The entry of a link that was just entered has no state.
    if (!subject && !history.state?.isUnderCard) return;
    carryHash();
    if (subject) this.card.reopen(subject);
    else if (!wasLeaving) this.card.close();
    else if (this.#subject) this.enter(this.#subject);
  }
}
