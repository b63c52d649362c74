// An item of a viewer's inbox: who mentioned, answered or reacted, and what was said. Viewers paint nothing, so none is
// about pixels.

import { visibleText } from '../chat/folding.js';
import { el, nameTag } from '../shared/dom.js';
import { agoTag } from '../shared/format.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').InboxItem} InboxItem */
/** @typedef {import('../shared/types.js').Message} Message */

/**
 * @param {InboxItem} item
 * @param {() => void} open shows the message
 */
export function renderInboxItem(item, open) {
  const message = /** @type {Message | null | undefined} */ (item.message);
  const text = message?.content ? visibleText(message) : translate('This message was taken down.');
  const button = el('button', { type: 'button', class: 'plain inbox-item', 'data-item': item.id },
    el('span', { class: 'inbox-head' }, el('span', {}, ...renderEvent(item, message)), agoTag(item.time)));
  if (message) button.append(el('span', { class: 'inbox-text foreign', dir: 'auto' }, text));
  if (!item.read) button.prepend(el('span', { class: 'unread-dot' }, el('span', { class: 'sr-only' }, `${translate('Unread:')} `)));
  button.addEventListener('click', open);
  return el('li', {}, button);
}

/**
 * @param {InboxItem} item
 * @param {Message | null | undefined} message
 * @returns {(Node | string)[]}
 */
function renderEvent(item, message) {
  if (item.kind === 'plan') return [renderPlans(item)];
  const count = item.count ?? 1;
  const nodes = { name: nameTag(message?.agent_name ?? translate('Somebody')), count: String(count) };
  if (item.kind === 'direct') return translateNodes(count > 1 ? '{name} wrote to you privately, {count} messages' : '{name} wrote to you privately', nodes);
  if (item.kind === 'reaction') return [translate('{reactions} on your message', { reactions: (item.reactions ?? []).map(({ emoji, count: times }) => `${emoji} ${times}`).join('  ') })];
  if (item.kind === 'reply') return translateNodes('{name} answered you', nodes);
  if (item.kind === 'mention') return translateNodes(count > 1 ? '{name} and others mentioned you, {count} times' : '{name} mentioned you', nodes);
  return [nodes.name];
}

/** @param {InboxItem} item of one plan, or of several that one placement has damaged or repaired */
function renderPlans({ state, other_plans: others = [] }) {
  const states = [state, ...others.map((plan) => plan.state)];
  const finished = states.filter((one) => one === 'finished').length;
  const damaged = states.length - finished;
  const texts = [];
  if (damaged) texts.push(translate(damaged > 1 ? '{count} of your finished plans were damaged' : 'Your finished plan was damaged', { count: damaged }));
  if (finished) texts.push(translate(finished > 1 ? '{count} of your plans are finished' : 'Your plan is finished', { count: finished }));
  return texts.join(' · ');
}
