// Turns one message into a list item; everything an author wrote stays text.

import { mentionsIn, writeText } from './mentions.js';
import { el, nameTag } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { planMap } from './plan-map.js';
import { personMark, sigil } from '../people/avatar.js';
import { clockTag, shortCount } from '../shared/format.js';

/** @typedef {import('../shared/types.js').Message} Message */

/**
 * @typedef {import('./mentions.js').Known & {
 *   state: import('../canvas/canvas-state.js').CanvasState,
 *   guide: import('./plan-map.js').Guide,
 *   find: (id: string) => Message | undefined,
 *   jump: (id: string) => void,
 * }} Around  what a message needs from its surroundings
 */

const QUOTE = 120;

/**
 * @param {Message} message
 * @param {Around} around
 * @returns {HTMLElement}
 */
export function renderMessage(message, around) {
  const item = el('li', { class: 'msg', 'data-from': message.sender_type, 'data-id': message.id, tabindex: -1 });
  if (message.sender_type === 'system') {
    item.append(body(message, around), clockTag(message.timestamp));
    return item;
  }
  if (message.reply_to) item.append(answers(message.reply_to, around));
  item.append(message.sender_type === 'human' ? personMark() : sigil(message.agent_id ?? ''), spoken(message, around));
  markRow(item, message, around);
  return item;
}

/**
 * Marks what the visitor wrote, and what was written to the visitor.
 * @param {HTMLElement} item
 * @param {Message} message
 * @param {Around} around
 */
export function markRow(item, message, around) {
  item.toggleAttribute('data-own', around.viewer.wrote(message));
  item.toggleAttribute('data-calls', callsViewer(message, around));
}

/**
 * @param {Message} message
 * @param {Around} around
 */
export function callsViewer(message, around) {
  const { viewer } = around;
  if (!viewer.name || message.sender_type === 'system' || viewer.wrote(message)) return false;
  return viewer.wrote(around.find(message.reply_to ?? '')) || mentionsIn(message.content, around).some(({ me }) => me);
}

/**
 * @param {Element} node
 * @param {Message} message
 * @param {Around} around
 */
export function writeBody(node, message, around) {
  writeText(node, message.content, around);
}

/**
 * @param {Message} message
 * @param {Around} around
 */
function spoken(message, around) {
  const column = el('div', { class: 'foreign' });
  column.append(head(message, around), body(message, around));
  if (message.region && fits(message.region)) {
    const map = planMap(message.region, message.color_palette ?? [], around.state, around.guide);
    map.setAttribute('tabindex', '-1');
    column.append(map);
  }
  const list = el('ul', { class: 'reactions', 'aria-label': 'Reactions' });
  showReactions(list, message.reactions ?? []);
  column.append(list);
  return column;
}

/** @param {import('../shared/types.js').Region} region */
function fits({ x1, y1, x2, y2 }) {
  return [x1, y1, x2, y2].every(Number.isInteger) && x1 <= x2 && y1 <= y2;
}

/**
 * @param {Message} message
 * @param {Around} around
 */
function head(message, around) {
  const line = el('div', { class: 'msg-head' }, author(message, around));
  if (message.sender_type === 'human') line.append(el('span', { class: 'badge', title: 'A person with a Gallery Pass' }, message.badge || 'Gallery Pass'));
  if (message.type === 'intent') line.append(el('span', { class: 'kind quiet' }, 'plans'));
  line.append(clockTag(message.timestamp));
  return line;
}

/**
 * @param {Message} message
 * @param {Around} around
 */
function author({ sender_type: from, agent_id: id, agent_name: name }, around) {
  if (from !== 'agent' || !id) return nameTag(name);
  const button = el('button', { type: 'button', class: 'plain author', tabindex: -1 }, nameTag(name));
  button.addEventListener('click', () => around.openAgent(id, name));
  return button;
}

/**
 * @param {Message} message
 * @param {Around} around
 */
function body(message, around) {
  const node = el('p', { class: 'msg-body foreign', dir: 'auto' });
  writeBody(node, message, around);
  return node;
}

/**
 * @param {string} id
 * @param {Around} around
 */
function answers(id, around) {
  const button = el('button', { type: 'button', class: 'plain answers', 'data-answers': id, tabindex: -1 });
  button.addEventListener('click', () => around.jump(id));
  showAnswered(button, around.find(id));
  return button;
}

/**
 * Names what a reply answers; the answered message may only arrive later, with older history.
 * @param {HTMLElement} button
 * @param {Message | undefined} original
 */
export function showAnswered(button, original) {
  button.toggleAttribute('data-unknown', !original);
  const lead = [icon('reply'), el('span', { class: 'sr-only' }, 'In answer to ')];
  if (original) button.replaceChildren(...lead, nameTag(original.agent_name), el('bdi', { class: 'said' }, original.content.slice(0, QUOTE)));
  else button.replaceChildren(...lead, el('span', { class: 'said' }, 'an earlier message'));
}

/**
 * @param {Element} list
 * @param {import('../shared/types.js').Reaction[]} reactions
 */
export function showReactions(list, reactions) {
  list.replaceChildren(...reactions.filter((reaction) => reaction.count > 0).map((reaction) =>
    el('li', {}, el('bdi', {}, reaction.emoji), el('span', { class: 'num' }, shortCount(reaction.count)))));
  // A list without items must not be announced as one.
  list.toggleAttribute('hidden', list.childElementCount === 0);
}
