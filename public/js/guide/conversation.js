// The conversation: its turns, and the stream of the turn that runs.

import { renderError } from './errors.js';
import { leaveFocus } from './focus.js';
import { getConversation, isOperator, postQuestion } from './guide-api.js';
import { Turn } from './turn.js';
import { TurnStream } from './turn-stream.js';
import { el } from '../shared/dom.js';
import { renderRefusal } from '../shared/refusals.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./types.js').GuideBudget} GuideBudget */
/** @typedef {import('./types.js').GuideMessage} GuideMessage */

const NOT_ANSWERED = translate('This question has no answer.');
const KEPT = { unreachable: translate('Your question is kept.') };

export class Conversation {
  node = el('ol', { class: 'guide-turns' });
  /** @type {Turn[]} */ #turns = [];
  /** The turn that is answered now, and its stream. @type {{turn: Turn, stream: TurnStream} | null} */ #running = null;
  /** The turns of the drafts that were announced, and are still to be read. @type {Map<string, Turn>} */ #awaitedDrafts = new Map();
  /** Called when a turn begins or ends. @type {() => void} */ onBusy = () => {};
  #isShared = false;
  /** @type {(budget: GuideBudget) => void} */ onBudget = () => {};

  /** @param {Omit<import('./turn.js').TurnContext, 'retry'>} context */
  constructor(context) {
    this.context = { ...context, retry: (/** @type {Turn} */ turn) => { if (!this.isBusy) this.#run(turn); } };
    context.drafts.listeners.push((draft) => this.#receiveDraft(draft));
    context.drafts.isAwaited = () => this.#awaitedDrafts.size > 0;
    context.drafts.onWithdrawn = (draft) => this.#withdraw(draft);
    // A page in the back-forward cache must not hold a stream; the running turn is joined again when it is shown.
    window.addEventListener('pagehide', () => this.#running?.stream.close());
    window.addEventListener('pageshow', (event) => { if (event.persisted && this.#running) this.#run(this.#running.turn); });
  }

  /** Whether the guide is answering. */
  get isBusy() {
    return this.#running !== null;
  }

  /** Whether it is the conversation of all operators. In a browser that is also signed in with a pass, it is the viewer's until an operator acts. */
  get isShared() {
    return this.#isShared || isOperator();
  }

  get isEmpty() {
    return !this.#turns.length;
  }

  /** Shows the stored conversation, and joins the turn that runs or waits. */
  async load() {
    const { messages, budget, shared } = await getConversation();
    this.#clear();
    this.#isShared = shared;
    const states = messages.map((message) => this.#showMessage(message));
    this.onBudget(budget);
    const last = this.#turns[this.#turns.length - 1];
    if (last && ['waiting', 'running'].includes(states[states.length - 1] ?? '')) this.#run(last);
  }

  /**
   * Shows a message. Returns the state of a question.
   * @param {GuideMessage} message
   */
  #showMessage(message) {
    if (message.role === 'visitor') {
      const turn = this.#add(message.id, message.content);
      // The last question is joined if it waits or runs.
      if (message.state !== 'answered') turn.showFailure([NOT_ANSWERED], true);
      return message.state;
    }
    const turn = this.#turns[this.#turns.length - 1] ?? this.#add(message.id, null);
    message.drafts.forEach((draft) => this.context.drafts.put(draft));
    turn.showNote('');
    turn.showAnswer(message);
    return undefined;
  }

  /**
   * @param {string} id
   * @param {string | null} question
   */
  #add(id, question) {
    const turn = new Turn(id, question, this.context);
    this.#turns.push(turn);
    this.node.append(turn.node);
    return turn;
  }

  /**
   * Asks a question.
   * @param {string} content
   * @param {import('./types.js').GuideContext} context
   */
  async ask(content, context) {
    const { message_id: id } = await postQuestion(content, context);
    const turn = this.#add(id, content);
    turn.node.dispatchEvent(new CustomEvent('asked', { bubbles: true }));
    this.#run(turn);
  }

  /** Ends the conversation on this page, after it was deleted. */
  reset() {
    this.#clear();
    this.context.drafts.clear();
    this.onBusy();
  }

  #clear() {
    this.#running?.stream.close();
    this.#running = null;
    this.#turns = [];
    this.#awaitedDrafts.clear();
    leaveFocus(this.node);
    this.node.replaceChildren();
  }

  /** Runs a turn, or joins it. @param {Turn} turn */
  #run(turn) {
    this.#running?.stream.close();
    turn.restart();
    const stream = new TurnStream(turn.id, {
      restart: () => turn.restart(),
      event: (kind, data) => this.#handleEvent(turn, kind, data),
      interrupted: (error) => turn.showNote(...([429, 503].includes(error?.status) ? renderError(error, KEPT) : [translate('The connection was lost.')]), ` ${translate('Trying again…')}`),
      fail: (error) => this.#fail(turn, renderError(error, KEPT), error.code !== 'budget_spent' && error.status !== 404),
    });
    this.#running = { turn, stream };
    this.onBusy();
  }

  /**
   * @param {Turn} turn
   * @param {string} kind
   * @param {any} data
   */
  #handleEvent(turn, kind, data) {
    if (kind === 'tool') turn.showStep(data);
    if (kind === 'delta') turn.addText(data.text);
    if (kind === 'draft') this.#awaitDraft(turn, data.id);
    if (kind === 'done') this.#finish(turn);
    if (kind === 'error') {
      this.#withdrawDraftsOf(turn);
      this.#fail(turn, renderRefusal(data), !['budget_spent', 'not_found'].includes(data.code));
    }
  }

  /**
   * Reads a draft, of which the event has only the summary.
   * @param {Turn} turn
   * @param {string} id
   */
  #awaitDraft(turn, id) {
    const { drafts } = this.context;
    const known = drafts.find(id);
    if (known) return turn.showDraft(known);
    this.#awaitedDrafts.set(id, turn);
    void drafts.refresh().catch(() => {});
  }

  /** @param {import('./types.js').Draft} draft */
  #receiveDraft(draft) {
    const turn = this.#awaitedDrafts.get(draft.id);
    if (!turn) return this.#turns.forEach((each) => each.updateDraft(draft));
    this.#awaitedDrafts.delete(draft.id);
    turn.showDraft(draft);
    this.context.announce(translate('A draft waits for a decision: {summary}', { summary: draft.summary }));
  }

  /** Removes a draft that the server has no longer. @param {import('./types.js').Draft} draft */
  #withdraw(draft) {
    this.context.drafts.remove(draft.id);
    const isShown = this.#turns.filter((turn) => turn.removeDraft(draft.id)).length > 0;
    if (isShown) this.context.announce(translate('A draft is no longer there: {summary}', { summary: draft.summary }));
  }

  /** Removes what a failed turn has proposed: the server has withdrawn it. @param {Turn} turn */
  #withdrawDraftsOf(turn) {
    for (const [id, each] of this.#awaitedDrafts) if (each === turn) this.#awaitedDrafts.delete(id);
    for (const draft of turn.pendingDrafts) this.#withdraw(draft);
  }

  /** @param {Turn} turn */
  #finish(turn) {
    turn.showNote('');
    turn.renderText();
    this.#running = null;
    this.onBusy();
    const words = turn.node.querySelector('.guide-text')?.textContent ?? '';
    this.context.announce(translate('The guide says: {words}', { words }));
    this.context.drafts.refreshSoon();
  }

  /**
   * @param {Turn} turn
   * @param {(Node | string)[]} words
   * @param {boolean} canRetry
   */
  #fail(turn, words, canRetry) {
    const said = turn.showFailure(words, canRetry);
    this.#running = null;
    this.onBusy();
    this.context.announce(said);
  }
}
