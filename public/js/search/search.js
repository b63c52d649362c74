// The search dialog: a field with results as you type.

import { describeOutside, readCoordinates, renderPlace } from './coordinates.js';
import { renderResult } from './results.js';
import { Viewer } from '../people/viewer.js';
import { getSearch, getSeasons } from '../shared/api.js';
import { el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { once } from '../shared/lazy-load.js';
import { translate } from '../shared/translate.js';
import { LatestRequest } from '../time/latest-request.js';

/** @typedef {import('../shared/types.js').SearchPage} SearchPage */
/** @typedef {{q: string, in: string, before?: string}} Query */

const TYPING_MS = 150;
const INTERVAL_MS = 100;
const MAX_CHARS = 200;
/** @type {[string, string][]} */
const KINDS = [['chat,agents,plans,seasons', translate('Everything')], ['chat', translate('Chat')], ['agents', translate('Agents')], ['plans', translate('Plans')], ['seasons', translate('Seasons')]];
/** A query that ends with one letter of an alphabet, which finds only whole words. Ideographs, from U+2E80 on, are words. */
const SINGLE_LETTER = /(^|[^\p{L}\p{N}\p{M}])(?=[\0-\u2e7f])[\p{L}\p{N}]\p{M}*\*?\s*$/u;
const HELP = translate('All words must match. "Quotes" find exact phrases, a minus excludes: house -"red roof". Coordinates such as 120, 45 lead to their pixel.');

export class Search {
  #dialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'search', 'aria-label': translate('Search') }));
  #field = /** @type {HTMLInputElement} */ (el('input', { type: 'text', id: 'search-field', inputmode: 'search', enterkeyhint: 'search', autocomplete: 'off', spellcheck: 'false', maxlength: MAX_CHARS, placeholder: translate('Search'), 'aria-label': translate('Search'), 'aria-describedby': 'search-status', 'aria-controls': 'search-results' }));
  #kind = /** @type {HTMLSelectElement} */ (el('select', { id: 'search-kind', 'aria-label': translate('What to search') }, ...KINDS.map(([value, name]) => el('option', { value }, name))));
  /** The kind that people find who are signed in. */ #ownKind = el('option', { value: 'messages' }, translate('Your messages'));
  #results = el('ol', { id: 'search-results', class: 'search-results', 'aria-label': translate('Results') });
  #status = el('p', { id: 'search-status', class: 'search-status', role: 'status' }, HELP);
  #more = /** @type {HTMLButtonElement} */ (el('button', { type: 'button', class: 'search-more' }, translate('Show more')));
  #seasons = once(() => getSeasons());
  #timer = 0;
  /** @type {string | null} */ #nextBefore = null;
  /** The link to the coordinates that the field holds. @type {HTMLElement | null} */ #place = null;
  /** Why there is no such link to them. */ #outside = '';
  #request = new LatestRequest(
    (/** @type {Query} */ query, signal) => getSearch(query, signal),
    (page, query) => void this.#show(page, query),
    (error) => this.#showError(error),
    INTERVAL_MS);

  /** @param {import('../canvas/canvas-view.js').CanvasView} view */
  constructor(view) {
    this.view = view;
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Close') }, icon('close'));
    close.addEventListener('click', () => this.#dialog.close());
    this.#dialog.addEventListener('click', (event) => { if (event.target === this.#dialog) this.#dialog.close(); });
    this.#dialog.addEventListener('close', () => this.#cancel());
    this.#dialog.addEventListener('keydown', (event) => this.#handleKey(event));
    this.#field.addEventListener('input', () => this.#searchSoon());
    this.#kind.addEventListener('change', () => this.#search());
    this.#more.addEventListener('click', () => this.#search(this.#nextBefore ?? undefined));
    this.#more.hidden = true;
    this.#dialog.append(el('div', { class: 'search-bar', role: 'search' }, this.#field, this.#kind, close), this.#status, this.#results, this.#more);
    document.body.append(this.#dialog);
  }

  open() {
    if (this.#dialog.open) return;
    // Somebody may have signed in or out since.
    if (!new Viewer().hasSignedIn) this.#ownKind.remove();
    else if (!this.#ownKind.isConnected) this.#kind.append(this.#ownKind);
    this.#dialog.showModal();
    this.#field.focus();
    this.#field.select();
    // Earlier results may have been taken down since.
    if (this.#field.value.trim()) this.#search();
  }

  #cancel() {
    clearTimeout(this.#timer);
    this.#request.cancel();
  }

  #searchSoon() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#search(), TYPING_MS);
  }

  /** @param {string} [before] */
  #search(before) {
    const q = this.#field.value.trim();
    if (!before) this.#showPlace(q);
    if (q) return this.#request.request({ q, in: this.#kind.value, ...(before ? { before } : {}) });
    this.#request.cancel();
    this.#clear(HELP);
  }

  /** Offers to go to coordinates in place of the results so far; nothing for another text. @param {string} text */
  #showPlace(text) {
    const point = readCoordinates(text);
    this.#outside = point ? describeOutside(point, this.view) : '';
    this.#place = point && !this.#outside ? renderPlace(point, this.view, () => this.#dialog.close()) : null;
    if (point) this.#clear(this.#outside);
  }

  /** @param {string} status */
  #clear(status) {
    this.#showResults([]);
    this.#more.hidden = true;
    this.#status.textContent = status;
  }

  /**
   * @param {SearchPage} page
   * @param {Query} query
   */
  async #show(page, query) {
    // The field may have been emptied, or changed before an answer with more of the last query.
    if (query.q !== this.#field.value.trim() || query.in !== this.#kind.value) return;
    const { seasons } = page.results.some(({ kind }) => kind === 'seasons') ? await this.#seasons().catch(() => ({ seasons: [] })) : { seasons: [] };
    const items = page.results.map((result) => renderResult(result, seasons));
    if (query.before) {
      this.#results.append(...items);
      items[0]?.querySelector('a')?.focus();
    } else {
      this.#showResults(items);
      this.#results.scrollTop = 0;
    }
    this.#nextBefore = page.next_before ?? null;
    this.#more.hidden = this.#nextBefore === null;
    this.#status.textContent = this.#outside || this.#describe();
  }

  /** Shows results after the place, if the text is one. @param {HTMLElement[]} items */
  #showResults(items) {
    this.#results.replaceChildren(...(this.#place ? [this.#place] : []), ...items);
  }

  #describe() {
    const count = this.#results.children.length - Number(this.#place !== null);
    if (!count && this.#place) return translate('Nothing else found.');
    if (!count) return translate(SINGLE_LETTER.test(this.#field.value) ? 'Nothing found. The start of a word takes two letters.' : 'Nothing found.');
    if (this.#nextBefore !== null) return translate('{count} or more results', { count });
    return translate(count === 1 ? '{count} result' : '{count} results', { count });
  }

  /** @param {unknown} error */
  #showError(error) {
    const code = /** @type {{code?: string}} */ (error)?.code;
    this.#clear(translate(code === 'overloaded' ? 'The search took too long. Use more or longer words.' : 'The search did not work. Try again.'));
  }

  /** Moves the focus between the field and the results. @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.key === 'Enter' && event.target === this.#field) return this.#followFirst();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target === this.#kind) return;
    const stops = [this.#field, ...this.#links()];
    const next = stops[stops.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  /** Follows the first result; coordinates count at once, without waiting for results. */
  #followFirst() {
    if (readCoordinates(this.#field.value)) this.#search();
    if (!this.#outside) this.#links()[0]?.click();
  }

  /** @returns {HTMLElement[]} */
  #links() {
    return [...this.#results.querySelectorAll('a')];
  }
}
