// The card of a draft in an answer: what would change, and the decision.

import { renderChange, renderResult } from './draft-change.js';
import { renderError } from './errors.js';
import { el } from '../shared/dom.js';
import { formatSoon } from '../shared/format.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('./types.js').Draft} Draft */

/** @type {Record<import('./types.js').DraftKind, string>} */
const KINDS = {
  plan: translate('a plan'),
  message: translate('a message'),
  intent: translate('an intent'),
  report: translate('a report'),
  hide: translate('taking a message down'),
  mute: translate('muting an agent'),
  rollback: translate('a rollback'),
  announcement: translate('an announcement'),
  setting: translate('a setting'),
};
/** @type {Record<import('./types.js').DraftState, string>} */
const STATES = {
  pending: '',
  approving: translate('Being carried out…'),
  approved: translate('Approved.'),
  rejected: translate('Rejected.'),
  expired: translate('Expired: nobody decided within a day.'),
};

export class DraftCard {
  #body = el('div', { class: 'guide-draft-body' });
  #state = el('p', { class: 'guide-draft-state' });
  #buttons = el('p', { class: 'guide-draft-buttons' });
  /** The last failure of a decision. @type {HTMLElement | null} */ #problem = null;
  #isDeciding = false;

  /**
   * @param {Draft} draft
   * @param {import('./draft-store.js').DraftStore} store
   * @param {import('./types.js').PageActions} actions
   * @param {(text: string) => void} announce
   */
  constructor(draft, store, actions, announce) {
    this.draft = draft;
    this.store = store;
    this.actions = actions;
    this.announce = announce;
    const kind = KINDS[draft.kind] ?? draft.kind;
    this.node = el('div', { class: 'guide-draft', role: 'group', 'aria-label': translate('Draft of {kind}', { kind }), tabindex: -1 },
      el('p', { class: 'guide-draft-kind' }, translate('Draft: {kind}', { kind })), el('p', { class: 'guide-draft-summary foreign', dir: 'auto' }, draft.summary), this.#body, this.#state, this.#buttons);
    this.#body.append(...renderChange(draft, actions));
    this.#render();
  }

  /** Shows a newer version of the draft. @param {Draft} draft */
  update(draft) {
    const isDecided = draft.state !== this.draft.state;
    this.draft = draft;
    if (isDecided) this.#problem = null;
    this.#render();
    if (isDecided && STATES[draft.state]) this.announce(`${draft.summary}: ${STATES[draft.state]}`);
  }

  #render() {
    const { state, last_refusal: refusal, expires_at: expiry } = this.draft;
    const hadFocus = this.#buttons.contains(document.activeElement);
    this.node.dataset.state = state;
    const problem = this.#problem ?? (state === 'pending' && refusal ? renderLastRefusal(refusal) : null);
    const waits = state === 'pending' ? translate('Nothing changes unless it is approved before {time}.', { time: formatSoon(expiry) }) : STATES[state];
    this.#state.replaceChildren(...(problem ? [problem, ' '] : []), waits);
    if (state === 'pending') void this.#renderDecision(hadFocus);
    else this.#renderDecided(hadFocus);
  }

  /** @param {boolean} hadFocus */
  #renderDecided(hadFocus) {
    this.#buttons.replaceChildren(...(this.draft.state === 'approved' ? renderResult(this.draft, this.actions) : []));
    if (hadFocus) this.node.focus({ preventScroll: true });
  }

  /** @param {boolean} hadFocus */
  async #renderDecision(hadFocus) {
    if (this.#buttons.querySelector('button')) return this.#updateButtons();
    const reject = this.#createButton(translate('Reject'), 'reject');
    this.#buttons.replaceChildren(reject);
    const mayApprove = await this.store.mayApprove(this.draft).catch(() => true);
    if (this.draft.state !== 'pending' || !reject.isConnected) return;
    if (mayApprove) reject.before(this.#createButton(translate('Approve'), 'approve'));
    else reject.before(el('span', { class: 'guide-draft-note' }, translate('An operator decides. You can take it back.')));
    if (hadFocus) this.node.focus({ preventScroll: true });
    this.#updateButtons();
  }

  #updateButtons() {
    for (const button of this.#buttons.querySelectorAll('button')) button.setAttribute('aria-disabled', String(this.#isDeciding));
  }

  /**
   * @param {string} words
   * @param {'approve' | 'reject'} decision
   */
  #createButton(words, decision) {
    const button = el('button', { type: 'button', 'data-decision': decision }, words, el('span', { class: 'sr-only' }, `: ${this.draft.summary}`));
    button.addEventListener('click', () => void this.#decide(decision));
    return button;
  }

  /** @param {'approve' | 'reject'} decision */
  async #decide(decision) {
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    this.#problem = null;
    this.#updateButtons();
    try {
      await this.store.decide(this.draft.id, decision);
    } catch (error) {
      this.#showProblem(error);
    }
    this.#isDeciding = false;
    this.#render();
  }

  /** Shows why a decision failed, unless it was made although its response was lost. @param {unknown} error */
  #showProblem(error) {
    if (this.draft.state !== 'pending' || !this.node.isConnected) return;
    this.#problem = el('strong', { dir: 'auto' }, ...renderError(error, { unreachable: translate('Try again: it is done only once.') }));
    this.announce(this.#problem.textContent ?? '');
  }
}

/** @param {string} refusal of the last approval, in English */
const renderLastRefusal = (refusal) =>
  el('strong', { dir: 'auto' }, ...translateNodes('It was refused: {refusal}', { refusal: el('span', { lang: 'en' }, refusal) }));
