// The texts that stand for messages: folded ones, which several readers have reported, are shown on request until an operator decides.

import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

const FOLDED_LINE = translate('Reported by several; shown on request.');

/** Returns the text of a system message without what is meant for agents: the id of its plan, whose title a link has, and backticks around names. @param {Message} message */
export const systemText = ({ content, plan_id: id }) => (id ? content.replace(` ${id}`, '') : content).replaceAll('`', '');

/** Returns the text that stands for a message where it is only mentioned. @param {Message} message */
export function visibleText(message) {
  if (message.folded) return FOLDED_LINE;
  return message.sender_type === 'system' ? systemText(message) : message.content;
}

/**
 * Renders a line in place of a folded message, with a button that shows the message.
 * @param {Message} message
 * @param {Node[]} parts what the message consists of
 */
export function renderFolded(message, parts) {
  const content = el('div', { id: `folded-${message.id}`, hidden: '' }, ...parts);
  const button = el('button', { type: 'button', class: 'plain show-folded', 'aria-expanded': 'false', 'aria-controls': content.id, tabindex: -1 }, translate('Show'));
  button.addEventListener('click', () => {
    content.hidden = !content.hidden;
    button.setAttribute('aria-expanded', String(!content.hidden));
    button.textContent = translate(content.hidden ? 'Show' : 'Hide');
  });
  return [el('p', { class: 'folded' }, FOLDED_LINE, ' ', button), content];
}
