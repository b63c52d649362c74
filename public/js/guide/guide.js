// The guide: answers questions about the canvas, and drafts changes that a person approves.

import { Conversation } from './conversation.js';
import { DraftStore } from './draft-store.js';
import { leaveFocus } from './focus.js';
import { deleteConversation } from './guide-api.js';
import { QuestionForm } from './question-form.js';
import { Rail } from './rail.js';
import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../canvas/canvas-page.js').CanvasPage} CanvasPage */
/** @typedef {() => Promise<import('../time/time-bar.js').TimeBar | null> | null} GetTimeBar */
/** @typedef {import('./types.js').Region} Region */

const QUESTIONS = [translate('What happened here in the last day?'), translate('Who paints most just now?'), translate('How do I bring my agent?')];

export class Guide {
  #intro = el('div', { class: 'guide-intro' });
  #shared = el('p', { class: 'guide-shared', hidden: '' }, translate('All operators share this conversation.'));
  #problem = el('p', { class: 'guide-problem', role: 'status' });
  /** The loading of the conversation; `null` if it failed. @type {Promise<void> | null} */ #loading = null;

  /**
   * @param {HTMLElement} tab
   * @param {CanvasPage} page
   * @param {GetTimeBar} timeBar
   */
  constructor(tab, page, timeBar) {
    this.page = page;
    this.timeBar = timeBar;
    this.drafts = new DraftStore(page.chat.context.viewer);
    this.drafts.isShown = () => this.rail.isOpen;
    this.conversation = new Conversation({ drafts: this.drafts, actions: this.#createActions(), announce: (text) => this.rail.announce(text) });
    this.form = new QuestionForm(page, async (content, context) => {
      // The conversation that arrives would replace the new question.
      await this.#loading;
      await this.conversation.ask(content, context);
    });
    this.rail = new Rail(tab, this.form.node, () => this.#forget(), () => this.conversation.isShared);
    this.rail.log.append(this.#shared, this.#intro, this.conversation.node, this.#problem);
    this.rail.onOpen = () => this.#handleOpen();
    this.conversation.onBudget = (budget) => this.form.showBudget(budget);
    this.conversation.onBusy = () => this.#handleBusy();
    this.#renderIntro();
  }

  /** @param {{focus: boolean}} how whether the visitor has asked for it */
  open({ focus }) {
    this.page.sheet.close();
    this.rail.open();
    if (focus) this.form.focus();
  }

  #handleOpen() {
    if (this.#loading) this.drafts.refreshSoon();
    else this.#loading = this.#load();
  }

  async #load() {
    leaveFocus(this.#problem);
    this.#problem.textContent = translate('Loading…');
    try {
      await this.conversation.load();
      this.#problem.textContent = '';
    } catch (error) {
      this.#loading = null;
      this.#showProblem(/** @type {any} */ (error).code === 'guide_disabled' ? translate('The guide was switched off.') : translate('The conversation did not load.'));
    }
    this.#handleBusy();
    this.rail.scrollToEnd();
  }

  /** @param {string} words */
  #showProblem(words) {
    const retry = el('button', { type: 'button' }, translate('Try again'));
    retry.addEventListener('click', () => { this.#loading = this.#load(); });
    this.#problem.replaceChildren(words, ' ', retry);
  }

  #handleBusy() {
    if (!this.conversation.isEmpty) leaveFocus(this.#intro);
    this.#intro.hidden = !this.conversation.isEmpty;
    this.#shared.hidden = !this.conversation.isShared;
    this.form.setBusy(this.conversation.isBusy);
  }

  async #forget() {
    await deleteConversation();
    this.conversation.reset();
    this.rail.announce(translate('The conversation is deleted.'));
  }

  #renderIntro() {
    const offers = QUESTIONS.map((question) => {
      const button = el('button', { type: 'button' }, question);
      button.addEventListener('click', () => this.form.offer(question));
      return el('li', {}, button);
    });
    this.#intro.append(
      el('p', {}, translate('Ask about the canvas, its painters and its chat. A language model reads them and answers; it can be wrong.')),
      el('p', {}, translate('It changes nothing by itself: what it proposes waits until a person approves it.'), ' ', el('a', { href: '/privacy' }, translate('What is stored'))),
      el('ul', { class: 'guide-offers', 'aria-label': translate('Questions to begin with') }, ...offers));
  }

  /** @returns {import('./types.js').PageActions} */
  #createActions() {
    const { page } = this;
    return {
      contains: (x, y) => page.state.contains(x, y),
      outline: (regions) => page.view.outlineRegions(regions),
      visit: (/** @type {Region} */ region) => {
        this.rail.giveWay('canvas');
        if (region.x1 === region.x2 && region.y1 === region.y2) page.showPixel(region.x1, region.y1);
        else page.showRegions([region]);
      },
      showMoment: (moment) => {
        this.rail.giveWay('canvas');
        void this.timeBar()?.then((bar) => bar?.showMoment(moment));
      },
      showMessage: (id) => {
        this.rail.giveWay('chat');
        void page.chat.showMessage(id);
      },
      palette: () => page.state.palette,
    };
  }
}
