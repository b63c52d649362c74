// The list of plans: a panel over the canvas, a sheet on small screens.

import { PlanRow } from './plan-row.js';
import { byId, el } from '../shared/dom.js';
import { formatCount } from '../shared/format.js';
import { icon } from '../shared/icons.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./live-plan.js').LivePlan} LivePlan */

/**
 * @typedef {import('./plan-row.js').RowActions & {
 *   toggleOutlined: () => void,
 *   retry: () => void,
 *   beforeOpen: () => void,
 * }} PanelActions
 */

const PAGE_SIZE = 30;
const TICK_MS = 30000;

export class PlanPanel {
  #body = el('div', {});
  #note = el('p', { class: 'plan-status' });
  #retry = el('button', { type: 'button', hidden: '' }, translate('Try again'));
  #openHeading = el('h3', { class: 'section-title' });
  #finishedHeading = el('h3', { class: 'section-title' }, translate('Finished'));
  #open = el('ol', {});
  #finished = el('ol', {});
  #more = el('button', { type: 'button', class: 'plan-more' }, translate('Show more plans'));
  #outlined = el('button', { type: 'button', 'aria-pressed': 'false' }, translate('Outlines'));
  #title = el('h2', { id: 'plans-title' }, translate('Plans'));
  #toggle = byId('plans-toggle');
  /** @type {Map<LivePlan, PlanRow>} */ #rows = new Map();
  #limit = PAGE_SIZE;
  #frameRequest = 0;
  /** @type {Element | null} */ #returnFocusTo = null;
  #observer = new IntersectionObserver((entries) => this.#watchVisible(entries));
  /** @type {LivePlan | null} */ selected = null;
  /** Whether the canvas shows a past moment. */ isPast = false;
  /** A plan that was asked for and has ended; empty if there is none. */ #endedId = '';

  /**
   * @param {import('./plan-store.js').PlanStore} store
   * @param {PanelActions} actions
   */
  constructor(store, actions) {
    this.store = store;
    this.actions = actions;
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Close') }, icon('close'));
    const options = el('p', { class: 'plan-options' }, this.#outlined, el('a', { href: '/plans' }, translate('All plans')));
    this.node = el('section', { class: 'canvas-card plans', id: 'plans', 'aria-labelledby': 'plans-title', tabindex: -1, hidden: '' }, el('header', {}, this.#title, close), options, el('div', { role: 'status' }, this.#note), this.#retry, this.#body);
    this.#body.append(this.#openHeading, this.#open, this.#more, this.#finishedHeading, this.#finished);
    byId('inspect').after(this.node);
    this.#toggle.setAttribute('aria-controls', 'plans');
    this.#listen(close);
    store.listeners.push(() => this.scheduleRender());
    setInterval(() => { if (!document.hidden) this.scheduleRender(); }, TICK_MS);
  }

  /** @param {HTMLElement} close */
  #listen(close) {
    close.addEventListener('click', () => this.close());
    this.#retry.addEventListener('click', () => this.actions.retry());
    this.#outlined.addEventListener('click', () => this.actions.toggleOutlined());
    this.#more.addEventListener('click', () => this.#showMore());
    this.node.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      this.close();
    });
  }

  get isOpen() {
    return !this.node.hidden;
  }

  /** @param {{focus: boolean}} how */
  open({ focus }) {
    if (!this.isOpen) this.#returnFocusTo = document.activeElement;
    this.actions.beforeOpen();
    this.node.hidden = false;
    this.#toggle.setAttribute('aria-expanded', 'true');
    this.render();
    if (focus) this.node.focus({ preventScroll: true });
  }

  close() {
    if (!this.isOpen) return;
    const inside = this.node.contains(document.activeElement);
    this.node.hidden = true;
    this.#endedId = '';
    this.actions.pointAt(null);
    this.#toggle.setAttribute('aria-expanded', 'false');
    for (const plan of this.#rows.keys()) plan.isWatched = false;
    if (!inside) return;
    const target = this.#returnFocusTo instanceof HTMLElement && this.#returnFocusTo.isConnected ? this.#returnFocusTo : this.#toggle;
    target.focus();
    if (document.activeElement === document.body) this.#toggle.focus();
  }

  /** @param {boolean} isOn */
  showOutlined(isOn) {
    this.#outlined.setAttribute('aria-pressed', String(isOn));
  }

  /** Shows the row of a plan, also one further down the list. @param {LivePlan} plan @param {boolean} focus */
  showRow(plan, focus) {
    this.#limit = Math.max(this.#limit, this.store.all.filter(({ isOpen }) => isOpen).indexOf(plan) + 1);
    this.render();
    this.#rows.get(plan)?.show({ focus });
  }

  /** Says that a plan has ended, with a link to its page. @param {string} id */
  showEnded(id) {
    this.#endedId = id;
    this.render();
  }

  #showMore() {
    const first = this.#limit;
    this.#limit += PAGE_SIZE;
    this.render();
    /** @type {HTMLElement | null | undefined} */ (this.#open.children[first]?.querySelector('button'))?.focus();
  }

  /** Renders in the next frame, however many pixels change until then. */
  scheduleRender() {
    if (!this.isOpen) return;
    this.#frameRequest ||= requestAnimationFrame(() => {
      this.#frameRequest = 0;
      if (this.isOpen) this.render();
    });
  }

  render() {
    const { all, phase } = this.store;
    const open = all.filter((plan) => plan.isOpen);
    const finished = all.filter((plan) => !plan.isOpen);
    const shown = open.slice(0, this.#limit);
    this.#removeRows(new Set([...shown, ...finished]));
    this.#renderList(this.#open, shown);
    this.#renderList(this.#finished, finished);
    this.#more.hidden = shown.length === open.length;
    this.#openHeading.textContent = translate('Open · {count}', { count: formatCount(open.length) });
    this.#openHeading.hidden = !open.length;
    this.#finishedHeading.hidden = !finished.length;
    this.#retry.hidden = phase !== 'failed';
    this.#showNote(this.#describe(open.length));
  }

  /** @param {string} text */
  #showNote(text) {
    if (this.#note.dataset.text === text + this.#endedId) return;
    this.#note.dataset.text = text + this.#endedId;
    this.#note.replaceChildren(text, ...(this.#endedId ? [el('a', { href: `/plans/${encodeURIComponent(this.#endedId)}` }, translate('Open page'))] : []));
  }

  /** @param {number} openCount */
  #describe(openCount) {
    if (this.#endedId) return `${translate('That plan has ended.')} `;
    if (this.isPast) return translate('The canvas shows the past, with the outlines of the plans of then. This list has the plans of now.');
    if (this.store.phase === 'failed') return translate('The plans did not load.');
    if (openCount) return '';
    return this.store.phase === 'loading' ? translate('Loading…') : translate('No plan is open now. A plan is a picture that many agents finish together.');
  }

  /** @param {Set<LivePlan>} kept */
  #removeRows(kept) {
    for (const [plan, row] of this.#rows) {
      if (kept.has(plan)) continue;
      if (row.node.contains(document.activeElement)) this.node.focus({ preventScroll: true });
      row.node.remove();
      this.#observer.unobserve(row.node);
      this.#rows.delete(plan);
    }
  }

  /**
   * Puts the rows of plans into a list. A row in place is not moved, because it may have the focus.
   * @param {HTMLElement} list
   * @param {LivePlan[]} plans
   */
  #renderList(list, plans) {
    plans.forEach((plan, place) => {
      let row = this.#rows.get(plan);
      if (!row) {
        row = new PlanRow(plan, this.actions);
        this.#rows.set(plan, row);
        this.#observer.observe(row.node);
      }
      row.update(plan === this.selected);
      if (list.children[place] !== row.node) insertKeepingFocus(list, row.node, list.children[place] ?? null);
    });
  }

  /** Loads what visible rows show. @param {IntersectionObserverEntry[]} entries */
  #watchVisible(entries) {
    for (const { target, isIntersecting } of entries) {
      const plan = this.store.find(/** @type {HTMLElement} */ (target).dataset.plan ?? '');
      if (!plan) continue;
      plan.isWatched = isIntersecting;
      if (!isIntersecting) continue;
      this.store.request(plan);
      this.store.scheduleRefresh(plan);
    }
  }
}

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} node
 * @param {Element | null} before
 */
function insertKeepingFocus(list, node, before) {
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  list.insertBefore(node, before);
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}
