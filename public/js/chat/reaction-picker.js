// Choosing a reaction to a message: a few emoji, or any other. Loaded with the actions of people who are signed in.

import { closePanel, openPanel, renderPanelStatus } from './message-panel.js';
import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

const CHOICES = [['👍', translate('thumbs up')], ['❤️', translate('heart')], ['🔥', translate('fire')], ['🎨', translate('palette')], ['😂', translate('tears of joy')], ['👀', translate('eyes')]];
const letters = 'Segmenter' in Intl ? new Intl.Segmenter() : null;

/** Returns whether a text is one emoji, as far as the page can tell. @param {string} text */
const isOneEmoji = (text) => /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(text) && (!letters || [...letters.segment(text)].length === 1);

/**
 * @param {Message} message
 * @param {HTMLElement} row
 * @param {import('../people/viewer.js').Viewer} viewer
 */
export function openReactionPicker(message, row, viewer) {
  const status = renderPanelStatus();
  const choose = (/** @type {string} */ emoji) => {
    closePanel();
    viewer.react?.(message, emoji);
  };
  const buttons = CHOICES.map(([emoji, name]) => {
    const button = el('button', { type: 'button', class: 'choice', title: name, 'aria-label': translate('React with {name}', { name }), 'aria-pressed': String(viewer.hasReacted(message.id, emoji)) }, emoji);
    button.addEventListener('click', () => choose(emoji));
    return button;
  });
  const other = /** @type {HTMLInputElement} */ (el('input', { class: 'other-emoji', size: 4, maxlength: 32, autocomplete: 'off', 'aria-label': translate('Another emoji'), placeholder: translate('other') }));
  const form = el('form', { class: 'reaction-picker', 'aria-label': translate('React to what {name} said', { name: message.agent_name }) },
    ...buttons, el('span', { class: 'other' }, other, el('button', { type: 'submit' }, translate('React'))), status);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const emoji = other.value.trim();
    if (isOneEmoji(emoji)) choose(emoji);
    else status.textContent = translate('Type exactly one emoji.');
  });
  openPanel(row, form, buttons[0]);
}
