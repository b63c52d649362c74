// Renders a message as a list item; text by authors only becomes text nodes.

import { renderFolded, systemText, visibleText } from './folding.js';
import { findMentions, renderText } from './mentions.js';
import { renderIntent, renderRegions, updateIntent } from './intent.js';
import { renderReactions } from './reactions.js';
import { renderAvatar, renderPersonAvatar } from '../people/avatar.js';
import { el, nameTag } from '../shared/dom.js';
import { clockTag, formatExact } from '../shared/format.js';
import { icon } from '../shared/icons.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

/**
 * @typedef {import('./mentions.js').MentionContext & {
 *   state: import('../canvas/canvas-state.js').CanvasState,
 *   regionActions: import('./intent-map.js').RegionActions,
 *   find: (id: string) => Message | undefined,
 *   showMessage: (id: string) => void,
 * }} MessageContext  what rendering a message needs from the page
 */

const MAX_QUOTE_LENGTH = 120;

/**
 * @param {Message} message
 * @param {MessageContext} context
 * @returns {HTMLElement}
 */
export function renderMessage(message, context) {
  const item = el('li', { class: 'msg', 'data-from': message.sender_type, 'data-id': message.id, tabindex: -1 });
  if (message.sender_type === 'system') {
    item.append(createBody(message, context), ...renderPlanLink(message), ...renderRegions(message, context), clockTag(message.timestamp));
    return item;
  }
  item.dataset.type = message.type;
  item.toggleAttribute('data-reply', Boolean(message.reply_to));
  if (message.reply_to) item.append(createReplyLink(message.reply_to, context));
  item.append(message.sender_type === 'human' ? renderPersonAvatar() : renderAvatar(message.agent_id ?? ''), renderContent(message, context));
  updateRowMarks(item, message, context);
  return item;
}

/**
 * Marks messages by the visitor and messages that mention the visitor.
 * @param {HTMLElement} item
 * @param {Message} message
 * @param {MessageContext} context
 */
export function updateRowMarks(item, message, context) {
  item.toggleAttribute('data-own', context.viewer.isAuthorOf(message));
  item.toggleAttribute('data-mentions-viewer', mentionsViewer(message, context));
}

/**
 * @param {Message} message
 * @param {MessageContext} context
 */
export function mentionsViewer(message, context) {
  const { viewer } = context;
  if (!viewer.name || message.sender_type === 'system' || viewer.isAuthorOf(message)) return false;
  return viewer.isAuthorOf(context.find(message.reply_to ?? '')) || findMentions(message.content, context).some(({ isViewer }) => isViewer);
}

/**
 * @param {Element} node
 * @param {Message} message
 * @param {MessageContext} context
 */
export function renderBody(node, message, context) {
  renderText(node, message.sender_type === 'system' ? systemText(message) : message.content, context);
}

/**
 * @param {Message} message
 * @param {MessageContext} context
 */
function renderContent(message, context) {
  const column = el('div', { class: 'foreign' });
  /** @type {Node[]} */
  const parts = [createBody(message, context), ...renderPlanLink(message)];
  if (message.type === 'intent') parts.push(renderIntent(message, context));
  column.append(renderHead(message, context), ...(message.folded ? renderFolded(message, parts) : parts));
  const list = el('ul', { class: 'reactions', 'aria-label': translate('Reactions') });
  renderReactions(list, message, context.viewer);
  column.append(list);
  return column;
}

/**
 * @param {Message} message
 * @param {MessageContext} context
 */
function renderHead(message, context) {
  const line = el('div', { class: 'msg-head' }, renderAuthor(message, context));
  if (message.sender_type === 'human') line.append(el('span', { class: 'badge', title: translate('A person with a Gallery Pass') }, message.badge || 'Gallery Pass'));
  if (message.type === 'intent') line.append(el('span', { class: 'kind muted' }, translate('intent')));
  if (message.importance) line.append(el('strong', { class: 'important' }, translate(message.importance === 'critical' ? 'critical' : 'important')));
  if (message.edited_at) line.append(renderEditedMark(message.edited_at));
  line.append(clockTag(message.timestamp));
  return line;
}

/** @param {string} at */
const renderEditedMark = (at) => el('span', { class: 'edited muted', title: translate('Edited {time}', { time: formatExact(at) }) }, translate('edited'));

/**
 * @param {Message} message
 * @param {MessageContext} context
 */
function renderAuthor({ sender_type: from, agent_id: id, agent_name: name }, context) {
  if (from !== 'agent' || !id) return nameTag(name);
  const button = el('button', { type: 'button', class: 'plain author', tabindex: -1 }, nameTag(name));
  button.addEventListener('click', () => context.openAgent(id, name));
  return button;
}

/**
 * @param {Message} message
 * @param {MessageContext} context
 */
function createBody(message, context) {
  const node = el('p', { class: 'msg-body foreign', dir: 'auto' });
  if (message.sender_type === 'system') node.lang = 'en';
  renderBody(node, message, context);
  return node;
}

/** Renders the link to the plan that a message names, if any; its title comes with the plans. @param {Message} message */
function renderPlanLink({ plan_id: id }) {
  return id ? [el('a', { class: 'plan-chip', href: `/plans/${encodeURIComponent(id)}`, 'data-plan': id, tabindex: -1 }, translate('Plan'))] : [];
}

/**
 * @param {string} id
 * @param {MessageContext} context
 */
function createReplyLink(id, context) {
  const button = el('button', { type: 'button', class: 'plain reply-link', 'data-reply-to': id, tabindex: -1 });
  button.addEventListener('click', () => context.showMessage(id));
  updateReplyLink(button, context.find(id));
  return button;
}

/**
 * Shows which message a reply answers; that message may arrive later, with older history.
 * @param {HTMLElement} button
 * @param {Message | undefined} original
 */
export function updateReplyLink(button, original) {
  button.toggleAttribute('data-unresolved', !original);
  const lead = [icon('reply'), el('span', { class: 'sr-only' }, `${translate('Replying to')} `)];
  if (original) button.replaceChildren(...lead, nameTag(original.agent_name), el('bdi', { class: 'quote' }, visibleText(original).slice(0, MAX_QUOTE_LENGTH)));
  else button.replaceChildren(...lead, el('span', { class: 'quote' }, translate('an earlier message')));
}

/**
 * Shows the reactions of a message, and the state and regions of an intent, again.
 * @param {Element} row
 * @param {Message} message
 * @param {MessageContext} context
 */
export function updateMessage(row, message, context) {
  const [reactions, intent] = [row.querySelector('.reactions'), row.querySelector('.intent')];
  if (reactions) renderReactions(reactions, message, context.viewer);
  if (intent) updateIntent(intent, message, context);
}

/**
 * Shows a text that its author has changed, with a mark.
 * @param {Element} row
 * @param {Message} message
 * @param {MessageContext} context
 */
export function updateText(row, message, context) {
  const body = row.querySelector('.msg-body');
  if (body) renderBody(body, message, context);
  updateRowMarks(/** @type {HTMLElement} */ (row), message, context);
  const head = row.querySelector('.msg-head');
  head?.querySelector('.edited')?.remove();
  if (message.edited_at) head?.querySelector(':is(.message-actions, time)')?.before(renderEditedMark(message.edited_at));
}
