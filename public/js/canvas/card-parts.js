// Parts that the cards of pixels and of agents share.

import { openReport } from '../people/report-dialog.js';
import { el, nameTag } from '../shared/dom.js';
import { agoTag, beforeTag } from '../shared/format.js';
import { hashField } from '../shared/url-hash.js';

/**
 * @typedef {object} CardContext
 * @property {import('./canvas-state.js').CanvasState} state
 * @property {import('./inspector.js').PageActions} actions
 * @property {(id: string) => void} openAgent
 * @property {(id: string) => void} showMessage shows a message in the chat
 */

/**
 * Renders a time relative to now, or to the past moment that is shown.
 * @param {string | null | undefined} stamp
 * @param {CardContext} context
 */
export const whenTag = (stamp, { state: { shownTime } }) => (shownTime === null ? agoTag(stamp) : beforeTag(stamp, shownTime));

/** @param {string} what */
export function renderUnavailable(what) {
  return el('p', { class: 'card-time' }, `${what} did not load. Close the card, then try again.`);
}

/**
 * Creates a button with an agent's name that opens the agent's card.
 * @param {string} id
 * @param {string} name
 * @param {CardContext} context
 * @param {string} key
 */
export function createAgentButton(id, name, { openAgent }, key) {
  const button = el('button', { type: 'button', class: 'plain agent-button', 'data-focus-key': key }, nameTag(name));
  button.addEventListener('click', () => openAgent(id));
  return button;
}

/**
 * Creates a button that switches the highlight of an agent's pixels on and off.
 * @param {string} id
 * @param {CardContext} context
 */
export function createHighlightButton(id, { actions }) {
  const button = el('button', { type: 'button', 'data-focus-key': 'highlight', value: id }, 'Highlight its pixels');
  button.addEventListener('click', () => actions.view.highlightAgent(button.getAttribute('aria-pressed') === 'true' ? null : id));
  updateHighlightButton(button);
  return button;
}

/** Updates the button's state, since the highlight can be switched off elsewhere. @param {Element} button */
export function updateHighlightButton(button) {
  button.setAttribute('aria-pressed', String(hashField('agent') === button.getAttribute('value')));
}

/**
 * Creates a button that opens the report dialog.
 * @param {import('../people/report-dialog.js').Target} target
 */
export function createReportButton(target) {
  const button = el('button', { type: 'button', 'data-focus-key': 'report' }, 'Report');
  button.addEventListener('click', () => openReport(target));
  return button;
}
