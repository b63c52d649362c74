// The field for questions, with what is sent beside them and how many are left today.

import { renderError } from './errors.js';
import { describeContext, readContext } from './page-context.js';
import { el } from '../shared/dom.js';
import { formatSoon } from '../shared/format.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./types.js').GuideBudget} GuideBudget */

const MAX_LENGTH = 2000;
/** From this number on, the characters left are shown. */
const SHOW_LEFT_FROM = 200;
/** Below this number, the questions left are shown. */
const SHOW_TURNS_BELOW = 5;

export class QuestionForm {
  #text = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'guide-question', rows: 2, maxlength: MAX_LENGTH, dir: 'auto', 'aria-label': translate('Your question to the guide'), 'aria-describedby': 'guide-context', placeholder: translate('Ask about the canvas') }));
  #button = /** @type {HTMLButtonElement} */ (el('button', { type: 'submit' }, translate('Ask')));
  #context = el('p', { class: 'guide-context', id: 'guide-context' });
  #count = el('span', { class: 'num' });
  #budget = el('p', { class: 'guide-budget', role: 'status' });
  #status = el('p', { class: 'guide-form-status', role: 'status' });
  #isSending = false;
  #isBusy = false;
  #frameRequest = 0;
  /** @type {GuideBudget | null} */ #left = null;
  /** @type {() => void} */ onSent = () => {};

  /**
   * @param {import('../canvas/canvas-page.js').CanvasPage} page
   * @param {(content: string, context: import('./types.js').GuideContext) => Promise<void>} ask
   */
  constructor(page, ask) {
    this.page = page;
    this.ask = ask;
    this.node = el('form', { class: 'guide-form' }, this.#text, el('div', { class: 'guide-form-end' }, this.#context, this.#count, this.#button), this.#budget, this.#status);
    this.node.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.#text.addEventListener('input', () => this.#update());
    this.#text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#send();
    });
    this.node.addEventListener('focusin', () => {
      this.#showContext();
      this.#update();
    });
    const showSoon = () => this.#showContextSoon();
    page.view.moveListeners.push(showSoon);
    page.view.momentListeners.push(showSoon);
    window.addEventListener('hashchange', showSoon);
    this.#update();
  }

  focus() {
    this.#text.focus({ preventScroll: true });
    this.#showContext();
  }

  /** Asks a question that is offered, unless the visitor has begun one. @param {string} question */
  offer(question) {
    if (this.#text.value.trim()) return this.focus();
    this.#text.value = question;
    this.#update();
    void this.#send();
  }

  /** @param {boolean} isBusy whether the guide is answering */
  setBusy(isBusy) {
    this.#isBusy = isBusy;
    this.#update();
  }

  /** @param {GuideBudget} budget */
  showBudget(budget) {
    this.#left = budget;
    const { turns_left: left, resets_at: end } = budget;
    const words = left
      ? translate(left === 1 ? '{count} question left today.' : '{count} questions left today.', { count: left })
      : translate('No questions left today. You can ask again at {time}.', { time: formatSoon(end) });
    this.#budget.textContent = left < SHOW_TURNS_BELOW ? words : '';
    this.#update();
  }

  #showContextSoon() {
    if (this.node.offsetParent) this.#frameRequest ||= requestAnimationFrame(() => this.#showContext());
  }

  #showContext() {
    this.#frameRequest = 0;
    this.#context.textContent = describeContext(readContext(this.page));
  }

  /** Clears what was left of a day that is over. */
  #endDay() {
    if (!this.#left || Date.parse(this.#left.resets_at) > Date.now()) return;
    this.#left = null;
    this.#budget.textContent = '';
  }

  #update() {
    this.#endDay();
    const length = this.#text.value.length;
    this.#count.textContent = length > MAX_LENGTH - SHOW_LEFT_FROM ? String(MAX_LENGTH - length) : '';
    const isDisabled = this.#isSending || this.#isBusy || !this.#text.value.trim() || this.#left?.turns_left === 0;
    // A disabled button loses the focus, and with it the keys of the guide.
    if (isDisabled && document.activeElement === this.#button) this.#text.focus({ preventScroll: true });
    this.#button.disabled = isDisabled;
    this.#button.textContent = translate(this.#isBusy ? 'Answering…' : 'Ask');
  }

  async #send() {
    this.#update();
    if (this.#button.disabled) return;
    this.#isSending = true;
    this.#status.textContent = '';
    this.#update();
    try {
      await this.ask(this.#text.value.trim(), readContext(this.page));
      this.#text.value = '';
      if (this.#left) this.showBudget({ ...this.#left, turns_left: Math.max(0, this.#left.turns_left - 1) });
      this.onSent();
    } catch (error) {
      this.#showError(/** @type {any} */ (error));
    }
    this.#isSending = false;
    this.#update();
  }

  /** @param {any} error */
  #showError(error) {
    const { code, body } = error;
    if (code === 'budget_spent' && body?.budget === 'visitor' && this.#left) return this.showBudget({ ...this.#left, turns_left: 0 });
    const words = { unreachable: translate('Your question is still in the field.'), kept: translate('your question is still in the field') };
    this.#status.replaceChildren(...(code === 'database_unavailable' ? [`${translate('The server cannot write just now.')} ${words.unreachable}`] : renderError(error, words)));
  }
}
