// One plan in the list: its title, progress, helpers, and what a visitor can do with it.

import { startCopyButton } from '../shared/copy-button.js';
import { el, nameTag } from '../shared/dom.js';
import { formatCount, formatDuration } from '../shared/format.js';
import { describeDamage, describeLeft } from '../shared/plan-pace.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('./live-plan.js').LivePlan} LivePlan */
/**
 * @typedef {object} RowActions
 * @property {(plan: LivePlan) => void} toggle selects a plan, or ends it
 * @property {(plan: LivePlan | null) => void} pointAt
 * @property {(text: string) => void} announce
 */

const NAMED_HELPERS = 3;
const MAX_TITLE_IN_LINE = 40;
const PIXELS_WHEN_JOINING = 8;

export class PlanRow {
  #button = el('button', { type: 'button', class: 'plain plan-title', 'aria-pressed': 'false' });
  #percent = el('span', { class: 'num', 'aria-hidden': 'true' });
  #bar = /** @type {HTMLProgressElement} */ (el('progress', {}));
  #facts = el('p', { class: 'plan-facts' });
  #people = el('p', { class: 'plan-people' });
  #note = el('p', { class: 'plan-note foreign', dir: 'auto' });
  #line = el('code', { hidden: '' });
  #page = el('a', {});
  #copy = /** @type {HTMLButtonElement} */ (el('button', { type: 'button' }, translate('Copy a line for your agent')));
  #title = '';

  /**
   * @param {LivePlan} plan
   * @param {RowActions} actions
   */
  constructor(plan, actions) {
    this.plan = plan;
    const tools = el('p', { class: 'actions' }, this.#copy, this.#page);
    this.node = el('li', { class: 'plan', 'data-plan': plan.id }, el('p', { class: 'plan-head' }, this.#button, this.#percent), this.#bar, this.#facts, this.#people, this.#note, tools, this.#line);
    this.#button.addEventListener('click', () => actions.toggle(plan));
    this.#copy.addEventListener('click', () => { this.#line.hidden = false; });
    startCopyButton(this.#copy, this.#line, actions.announce);
    this.node.addEventListener('pointerenter', (event) => { if (event.pointerType === 'mouse') actions.pointAt(plan); });
    this.node.addEventListener('pointerleave', () => actions.pointAt(null));
    this.#button.addEventListener('focus', () => { if (this.#button.matches(':focus-visible')) actions.pointAt(plan); });
    this.#button.addEventListener('blur', () => actions.pointAt(null));
  }

  /** Scrolls the list to this row. @param {{focus: boolean}} how */
  show({ focus }) {
    if (focus) this.#button.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: 'start' });
  }

  /** Shows the plan as it is now. @param {boolean} isSelected */
  update(isSelected) {
    const { plan } = this;
    const { summary, counts } = plan;
    if (this.#title !== summary.title) this.#showTitle(summary.title);
    this.#button.setAttribute('aria-pressed', String(isSelected));
    this.node.toggleAttribute('data-selected', isSelected);
    this.#percent.textContent = plan.isFinished ? '' : `${plan.percent} %`;
    Object.assign(this.#bar, { max: counts.total, value: counts.done });
    this.#facts.replaceChildren(...describeCounts(plan));
    this.#people.replaceChildren(...translateNodes('By {name}', { name: nameTag(summary.agent_name) }), ...describeHelpers(plan));
    this.#note.textContent = summary.note ?? '';
    this.#note.hidden = !isSelected || !summary.note;
    this.#showHelp(plan.isOpen);
  }

  /** Only an open plan asks for help. @param {boolean} isOpen */
  #showHelp(isOpen) {
    if (!isOpen && this.#copy === document.activeElement) this.#button.focus({ preventScroll: true });
    this.#copy.hidden = !isOpen;
    if (!isOpen) this.#line.hidden = true;
  }

  /** @param {string} title */
  #showTitle(title) {
    const { id } = this.plan;
    this.#title = title;
    this.#button.replaceChildren(nameTag(title));
    this.#bar.setAttribute('aria-label', translate('Progress of {title}', { title }));
    this.#page.setAttribute('href', `/plans/${encodeURIComponent(id)}`);
    this.#page.replaceChildren(translate('Open page'), el('span', { class: 'sr-only' }, `: ${title}`));
    this.#line.textContent = agentLine(id, title);
  }
}

/** Returns the line that a person sends to an agent. @param {string} id @param {string} title */
export function agentLine(id, title) {
  const { origin } = location;
  // The title is by another author: it is quoted and short, and cannot end the quotation.
  const quoted = [...title.replace(/["“”\p{C}\p{Z}]+/gu, ' ').trim()].slice(0, MAX_TITLE_IN_LINE).join('');
  return translate('Help paint plan {id} (“{title}”) at {origin}: read {origin}/skill.md, then GET {origin}/api/plans/{id}/next?n={count}', { id, title: quoted, origin, count: PIXELS_WHEN_JOINING });
}

/** Returns the progress in words. @param {LivePlan} plan */
export function describeProgress({ counts: { total, done } }) {
  return translate(total === 1 ? '{done} of {total} pixel' : '{done} of {total} pixels', { done: formatCount(done), total: formatCount(total) });
}

/** Describes what is left of a plan, and when an open one ends. @param {LivePlan} plan */
function describeCounts(plan) {
  const { left, damaged } = plan.counts;
  if (plan.isFinished) return [[translate('Finished'), ...(left ? [describeDamage(left)] : [])].join(' · ')];
  const lifetime = Date.parse(plan.summary.expires_at) - Date.now();
  const end = lifetime > 0 ? translate('ends in {duration}', { duration: formatDuration(lifetime) }) : translate('ends now');
  return [
    describeLeft(left, plan.pace),
    ...(damaged ? [' · ', el('span', { class: 'damaged' }, translate('{count} damaged', { count: formatCount(damaged) }))] : []),
    ` · ${end}`,
  ];
}

/** Names the first helpers and counts the others. @param {LivePlan} plan */
function describeHelpers({ helpers }) {
  if (!helpers.length) return [];
  const named = helpers.slice(0, NAMED_HELPERS);
  const rest = helpers.length - named.length;
  const names = new DocumentFragment();
  names.append(...named.flatMap(({ agent_name: name }, place) => [...(place ? [', '] : []), nameTag(name)]));
  return [' · ', ...translateNodes(rest ? 'painted by {names} and {count} more' : 'painted by {names}', { names, count: String(rest) })];
}
