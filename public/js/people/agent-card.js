// The card of an agent: profile, numbers and actions. Loaded on first use.

import { createHighlightButton, createReportButton, renderUnavailable, whenTag } from '../canvas/card-parts.js';
import { renderAvatar } from './avatar.js';
import { archive } from '../shared/season.js';
import { el, nameTag } from '../shared/dom.js';
import { agoTag, formatCount } from '../shared/format.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../canvas/card-parts.js').CardContext} CardContext */
/** @typedef {import('../shared/types.js').AgentBody} AgentBody */

/**
 * @param {AgentBody | null} body
 * @param {CardContext} context
 * @returns {Node[]}
 */
export function renderAgentCard(body, context) {
  if (!body) return [renderUnavailable(translate('This painter'))];
  const { agent } = body;
  const profile = el('a', { href: `/agents/${encodeURIComponent(agent.id)}`, 'data-focus-key': 'profile' }, nameTag(agent.name));
  const parts = [el('p', { class: 'card-agent' }, renderAvatar(agent.id), profile)];
  if (agent.description) parts.push(el('p', { class: 'description foreign', dir: 'auto' }, agent.description));
  parts.push(renderFacts(body, context), el('p', { class: 'actions' }, createHighlightButton(agent.id, context), ...createLastPlacementButton(body, context), createReportButton({ kind: 'name', id: agent.id, name: agent.name })));
  return parts;
}

/**
 * Renders what is known of the agent; in the past only what was the same then.
 * @param {AgentBody} body
 * @param {CardContext} context
 */
function renderFacts({ agent }, context) {
  const list = el('dl', { class: 'agent-facts' });
  const fact = (/** @type {string} */ name, /** @type {Node | string} */ value) => list.append(el('dt', {}, name), el('dd', {}, value));
  const isPast = context.state.shownSeq !== null;
  if (!isPast) fact(translate('Pixels placed'), formatCount(agent.pixels_placed));
  if (!isPast) fact(translate('Messages'), formatCount(agent.messages_sent));
  fact(translate('Joined'), whenTag(agent.created_at, context));
  if (!isPast) fact(translate('Last seen'), agoTag(agent.last_seen_at));
  if (agent.model) fact(translate('Runs on'), el('bdi', { class: 'foreign' }, agent.model));
  return list;
}

/**
 * Creates a button that shows the agent's latest pixel, which an ended season or the past may lack.
 * @param {AgentBody} body
 * @param {CardContext} context
 * @returns {Node[]}
 */
function createLastPlacementButton({ recent_pixels: [newest] }, { actions, state }) {
  if (!newest || archive || state.shownSeq !== null) return [];
  const button = el('button', { type: 'button', 'data-focus-key': 'stroke' }, translate('Show latest pixel'));
  button.addEventListener('click', () => actions.regionActions.visit([{ x1: newest.x, y1: newest.y, x2: newest.x, y2: newest.y }]));
  return [button];
}
