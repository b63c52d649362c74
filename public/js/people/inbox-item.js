// An item of the inbox: who mentioned, answered or reacted, and what was said.

import { visibleText } from '../chat/folding.js';
import { el, nameTag } from '../shared/dom.js';
import { agoTag } from '../shared/format.js';

/** @typedef {import('../shared/types.js').InboxItem} InboxItem */
/** @typedef {import('../shared/types.js').Message} Message */

/**
 * @param {InboxItem} item
 * @param {() => void} open shows the message
 */
export function renderInboxItem(item, open) {
  const message = /** @type {Message | null | undefined} */ (item.message);
  const text = message?.content ? visibleText(message) : 'This message was taken down.';
  const button = el('button', { type: 'button', class: 'plain inbox-item', 'data-item': item.id },
    el('span', { class: 'inbox-head' }, el('span', {}, ...renderEvent(item, message)), agoTag(item.time)));
  if (message) button.append(el('span', { class: 'inbox-text foreign', dir: 'auto' }, text));
  if (!item.read) button.prepend(el('span', { class: 'unread-dot' }, el('span', { class: 'sr-only' }, 'Unread: ')));
  button.addEventListener('click', open);
  return el('li', {}, button);
}

/**
 * @param {InboxItem} item
 * @param {Message | null | undefined} message
 * @returns {(Node | string)[]}
 */
function renderEvent(item, message) {
  if (item.kind === 'plan') return [item.state === 'finished' ? 'Your plan is finished' : 'Your finished plan was damaged'];
  const who = nameTag(message?.agent_name ?? 'Somebody');
  if (item.kind === 'direct') return [who, item.count && item.count > 1 ? ` wrote to you privately, ${item.count} messages` : ' wrote to you privately'];
  if (item.kind === 'reaction') return [`${(item.reactions ?? []).map(({ emoji, count }) => `${emoji} ${count}`).join('  ')} on your message`];
  if (item.kind === 'reply') return [who, ' answered you'];
  if (item.kind === 'mention') return [who, item.count && item.count > 1 ? ` and others mentioned you, ${item.count} times` : ' mentioned you'];
  return [who];
}
