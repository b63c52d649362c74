// The card of a pixel: its painter, time, message, intents and history. Loaded on first use.

import { createAgentButton, createHighlightButton, createReportButton, renderUnavailable, whenTag } from './card-parts.js';
import { createCopyButton } from './pixel-link.js';
import { findColorName } from './pixel-text.js';
import { visibleText } from '../chat/folding.js';
import { findRegions, renderIntentMap } from '../chat/intent-map.js';
import { isLive, renderIntentState } from '../chat/intent-state.js';
import { renderAvatar } from '../people/avatar.js';
import { archive } from '../shared/season.js';
import { el, nameTag, swatch } from '../shared/dom.js';
import { exactTag, formatMoment } from '../shared/format.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('./card-parts.js').CardContext} CardContext */
/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').Pixel} Pixel */
/** @typedef {import('../shared/types.js').Story} Story */
/** @typedef {import('../shared/types.js').Placement} Placement */

/** This many placements are listed at once; the others are behind a disclosure. */
const VISIBLE_ROWS = 4;
/** A report starts with the region of this many cells around the pixel. */
const REPORT_MARGIN = 4;

/**
 * @param {{pixel: Pixel, story: Story | null, plans: import('./canvas-page.js').WantedColor[], isUnknown?: boolean} | null} answer  `isUnknown`: painted over too often since the shown moment
 * @param {CardContext} context
 * @returns {Node[]}
 */
export function renderPixelCard(answer, context) {
  if (!answer) return [renderUnavailable(translate('This pixel'))];
  const { pixel, story, plans, isUnknown = false } = answer;
  const why = story?.why;
  const intents = (story?.intents ?? []).filter(({ id }) => id !== why?.intent?.id && id !== why?.said?.id);
  return [...renderPainter(pixel, isUnknown, context), ...(why ? renderWhy(why, context) : []), renderActions(pixel, context), ...renderHistory(pixel, context), ...renderPlans(plans, context), ...renderIntents(intents, context)];
}

/**
 * Renders why the pixel was placed: the plan and the intent that its painter named, else the words nearest in time.
 * @param {import('../shared/types.js').Why} why
 * @param {CardContext} context
 */
function renderWhy({ exact, plan, intent, said }, context) {
  const parts = [];
  if (plan) parts.push(el('p', { class: 'why' }, ...translateNodes('For the plan {plan}', { plan: renderPlanLink(plan.id, plan.title, 'why') })));
  if (intent) parts.push(...renderMessage(intent, translate('Intent'), context));
  if (said?.id !== intent?.id) parts.push(...renderMessage(said, translate(exact ? 'Said about the plan' : 'Said about that time'), context));
  return parts;
}

/**
 * Renders the plans that want another colour for the pixel.
 * @param {import('./canvas-page.js').WantedColor[]} plans
 * @param {CardContext} context
 */
function renderPlans(plans, context) {
  if (!plans.length) return [];
  const rows = plans.map((plan) => {
    const color = el('span', { class: 'sr-only' }, `${translate('{color} for', { color: capitalize(colorName(plan, context)) })} `);
    return el('li', { class: 'list-row' }, swatch(colorHex(plan, context)), color, renderPlanLink(plan.id, plan.title, `plan-${plan.id}`));
  });
  return [el('section', { class: 'plans-here' }, el('h3', { class: 'section-title' }, translate('Plans for this spot')), el('ol', {}, ...rows))];
}

/**
 * @param {string} id
 * @param {string} title
 * @param {string} key
 */
export function renderPlanLink(id, title, key) {
  return el('a', { class: 'plan-chip', href: `/plans/${encodeURIComponent(id)}`, 'data-plan': id, 'data-focus-key': key }, nameTag(title));
}

/**
 * @param {Pixel} pixel
 * @param {boolean} isUnknown
 * @param {CardContext} context
 * @returns {Node[]}
 */
function renderPainter(pixel, isUnknown, context) {
  const { shownTime } = context.state;
  const past = shownTime === null ? [] : [el('p', { class: 'past-note' }, translate('As it was on {moment}.', { moment: formatMoment(shownTime) }))];
  const unpainted = isUnknown ? translate('Painted over more than 20 times since then') : translate(shownTime === null ? 'Not painted yet' : 'Not painted then');
  if (!pixel.agent_id) return [el('p', { class: 'card-agent' }, unpainted), ...past];
  const profile = el('a', { href: `/agents/${encodeURIComponent(pixel.agent_id)}`, 'data-focus-key': 'profile' }, nameTag(pixel.agent_name ?? ''));
  return [
    el('p', { class: 'card-agent' }, renderAvatar(pixel.agent_id), profile),
    el('p', { class: 'card-time' }, swatch(colorHex(pixel, context)), `${capitalize(colorName(pixel, context))}, `, whenTag(pixel.placed_at, context), el('span', { class: 'exact-time' }, exactTag(pixel.placed_at))),
    ...past,
  ];
}

/**
 * Renders what can be done with the pixel; an unpainted one can only be linked to.
 * @param {Pixel} pixel
 * @param {CardContext} context
 */
function renderActions(pixel, context) {
  const forPainted = pixel.agent_id ? [createHighlightButton(pixel.agent_id, context)] : [];
  return el('p', { class: 'actions' }, ...forPainted, createCopyButton(pixel, context), ...(pixel.agent_id ? createRegionReport(pixel, context) : []));
}

/**
 * Creates the report button; none in an ended season and in the past, because a report is about the canvas of today.
 * @param {Pixel} pixel
 * @param {CardContext} context
 */
function createRegionReport(pixel, context) {
  return archive || context.state.shownSeq !== null ? [] : [createReportButton(reportTarget(pixel, context))];
}

/**
 * Returns the pixel and its surroundings as the target of a report, since offensive drawings have more than one pixel.
 * @param {Pixel} pixel
 * @param {CardContext} context
 * @returns {import('../people/report-dialog.js').Target}
 */
function reportTarget({ x, y }, { state, actions }) {
  const { width, height } = state;
  const region = { x1: Math.max(0, x - REPORT_MARGIN), y1: Math.max(0, y - REPORT_MARGIN), x2: Math.min(width - 1, x + REPORT_MARGIN), y2: Math.min(height - 1, y + REPORT_MARGIN) };
  return { kind: 'canvas', region, canvas: { state, draw: actions.drawRectangle } };
}

/**
 * Renders a message of the painter, and in which relation it stands to the placement.
 * @param {Message | null | undefined} message
 * @param {string} relation
 * @param {CardContext} context
 */
function renderMessage(message, relation, context) {
  if (!message?.content) return [];
  const words = el('blockquote', { class: 'foreign', dir: 'auto' }, visibleText(message));
  const read = el('button', { type: 'button', class: 'plain link', 'data-focus-key': 'read' }, translate('Read it in the chat'));
  read.addEventListener('click', () => context.showMessage(message.id));
  return [el('figure', { class: 'quote' }, words, ...renderIntent(message, context), el('figcaption', {}, el('span', {}, `${relation}, `, whenTag(message.timestamp, context)), read))];
}

/**
 * Renders the state and the map of an intent; nothing for a message that is none.
 * @param {Message} message
 * @param {CardContext} context
 */
export function renderIntent(message, { state, actions }) {
  if (message.type !== 'intent') return [];
  if (!findRegions(message).length) return [renderIntentState(message)];
  const map = renderIntentMap(message, state, actions.regionActions);
  map.dataset.focusKey = `map-${message.id}`;
  return [renderIntentState(message), map];
}

/**
 * Renders the intents that cover the pixel, the live ones first.
 * @param {Message[]} intents
 * @param {CardContext} context
 */
function renderIntents(intents, context) {
  if (!intents.length) return [];
  const rows = intents.toSorted((a, b) => Number(isLive(b)) - Number(isLive(a))).map((intent) => {
    const who = intent.agent_id ? createAgentButton(intent.agent_id, intent.agent_name, context, `intent-${intent.id}`) : nameTag(intent.agent_name);
    return el('li', { class: 'intent' }, el('p', { class: 'list-row' }, who, whenTag(intent.timestamp, context)), el('p', { class: 'foreign intent-text', dir: 'auto' }, visibleText(intent)), ...renderIntent(intent, context));
  });
  return [el('section', { class: 'intents' }, el('h3', { class: 'section-title' }, translate(intents.length === 1 ? 'Intent for this spot' : 'Intents for this spot')), el('ol', {}, ...rows))];
}

/**
 * Renders the history: as colour chips for an overview, then by name.
 * @param {Pixel} pixel
 * @param {CardContext} context
 */
function renderHistory(pixel, context) {
  const placements = pixel.history ?? [];
  if (placements.length < 2) return [];
  const chips = el('p', { class: 'chips', 'aria-hidden': 'true' }, ...[...placements].reverse().map((placement) => swatch(colorHex(placement, context))));
  const rows = placements.map((placement, place) => renderPlacement(placement, context, `owner-${place}`));
  const list = el('section', { class: 'history' }, el('h3', { class: 'section-title' }, translate('Last {count} placements here', { count: placements.length })), chips, el('ol', {}, ...rows.slice(0, VISIBLE_ROWS)));
  if (rows.length > VISIBLE_ROWS) {
    const rest = rows.slice(VISIBLE_ROWS);
    list.append(el('details', { class: 'older' }, el('summary', { 'data-focus-key': 'rest' }, translate('{count} before these', { count: rest.length })), el('ol', { start: VISIBLE_ROWS + 1 }, ...rest)));
  }
  return [list];
}

/**
 * @param {Placement} placement
 * @param {CardContext} context
 * @param {string} key
 */
function renderPlacement(placement, context, key) {
  const name = placement.agent_name ?? translate('An agent');
  const who = placement.agent_id ? createAgentButton(placement.agent_id, name, context, key) : nameTag(name);
  const color = el('span', { class: 'sr-only' }, `${translate('{color}, by', { color: colorName(placement, context) })} `);
  const restored = placement.restored ? el('span', { class: 'muted' }, translate('restored')) : '';
  return el('li', { class: 'list-row' }, swatch(colorHex(placement, context)), color, who, restored, whenTag(placement.placed_at, context));
}

/**
 * @param {{color: number}} placement
 * @param {CardContext} context
 */
const colorHex = ({ color }, { state }) => state.palette[color]?.hex ?? '#000';

/**
 * @param {{color: number}} placement
 * @param {CardContext} context
 */
const colorName = ({ color }, { state }) => findColorName(state, color);

/** @param {string} text */
const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);
