// One turn of the conversation: the visitor's question, the steps of the guide, its answer and its drafts.

import { DraftCard } from './draft-card.js';
import { leaveFocus } from './focus.js';
import { Markdown } from './markdown.js';
import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./types.js').Draft} Draft */
/** @typedef {import('./types.js').ToolStep} ToolStep */

/**
 * @typedef {object} TurnContext  what a turn needs from the guide
 * @property {import('./draft-store.js').DraftStore} drafts
 * @property {import('./types.js').PageActions} actions
 * @property {(text: string) => void} announce
 * @property {(turn: Turn) => void} retry
 */

/** @type {Record<import('./types.js').ToolStatus, string>} */
const STATUSES = { running: '…', done: '', failed: ` · ${translate('failed')}`, denied: ` · ${translate('not allowed')}` };

export class Turn {
  #steps = el('ol', { class: 'guide-steps', 'aria-label': translate('Steps of the guide'), hidden: '' });
  #text = el('div', { class: 'guide-text foreign' });
  #cards = el('div', { class: 'guide-drafts' });
  #note = el('p', { class: 'guide-note', hidden: '' });
  #answer = el('div', { class: 'guide-answer', hidden: '' }, el('p', { class: 'guide-who' }, translate('Guide')), this.#steps, this.#text, this.#note, this.#cards);
  /** @type {Markdown} */ #markdown;
  /** @type {Map<number, HTMLElement>} */ #stepLines = new Map();
  /** @type {Map<string, DraftCard>} */ #draftCards = new Map();
  #frameRequest = 0;
  /** The answer so far, as Markdown. */ text = '';

  /**
   * @param {string} id of the question
   * @param {string | null} question `null` if it is no longer among the messages
   * @param {TurnContext} context
   */
  constructor(id, question, context) {
    this.id = id;
    this.context = context;
    this.#markdown = new Markdown(this.#text, context.actions);
    this.node = el('li', { class: 'guide-turn' });
    if (question !== null) this.node.append(el('div', { class: 'guide-question' }, el('p', { class: 'guide-who' }, translate('You')), el('p', { class: 'guide-asked foreign', dir: 'auto' }, question)));
    this.node.append(this.#answer);
  }

  /** Clears the answer, which comes from its beginning. */
  restart() {
    this.text = '';
    leaveFocus(this.#text);
    this.#markdown.show('');
    this.#steps.replaceChildren();
    this.#steps.hidden = true;
    this.#stepLines.clear();
    this.showNote(translate('Looking…'));
  }

  /** Shows a step, and tells screen readers. @param {ToolStep} step */
  showStep(step) {
    this.#renderStep(step);
    if (step.status !== 'done') this.context.announce(step.summary + STATUSES[step.status]);
  }

  /** @param {ToolStep} step */
  #renderStep({ call, summary, status }) {
    const line = this.#stepLines.get(call) ?? el('li', {});
    // The server describes the steps in English.
    line.replaceChildren(el('span', { lang: 'en' }, summary), STATUSES[status]);
    line.dataset.status = status;
    if (!this.#stepLines.has(call)) this.#steps.append(line);
    this.#stepLines.set(call, line);
    this.#steps.hidden = false;
    this.#grow();
  }

  /** Adds to the answer; it is rendered in the next frame. @param {string} text */
  addText(text) {
    this.text += text;
    this.#note.hidden = true;
    this.#frameRequest ||= requestAnimationFrame(() => this.renderText());
  }

  renderText() {
    cancelAnimationFrame(this.#frameRequest);
    this.#frameRequest = 0;
    this.#markdown.show(this.text);
    this.#grow();
  }

  #grow() {
    this.#answer.hidden = false;
    this.node.dispatchEvent(new CustomEvent('grown', { bubbles: true }));
  }

  /** @param {Draft} draft */
  showDraft(draft) {
    const known = this.#draftCards.get(draft.id);
    if (known) return known.update(draft);
    const { drafts, actions, announce } = this.context;
    const card = new DraftCard(draft, drafts, actions, announce);
    this.#draftCards.set(draft.id, card);
    this.#cards.append(card.node);
    this.#grow();
  }

  /** Shows a newer version of a draft, if it belongs to this turn. @param {Draft} draft */
  updateDraft(draft) {
    this.#draftCards.get(draft.id)?.update(draft);
  }

  /**
   * Removes the card of a draft that the server has no longer. Returns true if this turn has shown it.
   * @param {string} id
   */
  removeDraft(id) {
    const card = this.#draftCards.get(id);
    if (!card) return false;
    leaveFocus(card.node);
    card.node.remove();
    return this.#draftCards.delete(id);
  }

  /** Returns the drafts that are shown and wait for a decision. */
  get pendingDrafts() {
    return [...this.#draftCards.values()].map(({ draft }) => draft).filter(({ state }) => state === 'pending');
  }

  /** Shows an answer that is complete. @param {import('./types.js').GuideMessage} message */
  showAnswer({ content, trace, drafts }) {
    trace.forEach((step) => this.#renderStep(step));
    this.text = content;
    this.renderText();
    drafts.forEach((draft) => this.showDraft(draft));
  }

  /** Says what the guide is doing; an empty text says nothing. @param {...(Node | string)} words */
  showNote(...words) {
    leaveFocus(this.#note);
    this.#note.replaceChildren(...words);
    this.#note.hidden = !this.#note.textContent;
    delete this.#note.dataset.failed;
    this.#grow();
  }

  /**
   * Says why there is no answer. Returns it as text.
   * @param {(Node | string)[]} words
   * @param {boolean} canRetry
   */
  showFailure(words, canRetry) {
    this.showNote(...words);
    this.#note.dataset.failed = '';
    const said = this.#note.textContent ?? '';
    if (!canRetry) return said;
    const retry = el('button', { type: 'button', class: 'guide-retry' }, translate('Try again'));
    retry.addEventListener('click', () => this.context.retry(this));
    this.#note.append(' ', retry);
    return said;
  }
}
