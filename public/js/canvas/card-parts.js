// Parts that the cards of pixels and of agents share.

import { openReport } from '../people/report-dialog.js';
import { el, nameTag } from '../shared/dom.js';
import { agoTag, beforeTag } from '../shared/format.js';
import { translate } from '../shared/translate.js';
import { hashField } from '../shared/url-hash.js';

/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */

/**
 * @typedef {object} PageActions  what a card needs from the page
 * @property {import('./canvas-view.js').CanvasView} view
 * @property {import('../chat/intent-map.js').RegionActions} regionActions
 * @property {(point: Point) => Promise<import('./canvas-page.js').WantedColor[]>} plansAt returns the plans that want another colour for a pixel
 * @property {(region: Region) => Promise<import('./canvas-page.js').PlanName[]>} plansIn returns the plans that overlap a rectangle
 * @property {() => Promise<Region | null>} drawRectangle lets the visitor draw a rectangle; `null` if that is cancelled
 * @property {import('../people/agent-names.js').AgentNames} names
 * @property {import('./heatmap-source.js').HeatmapSource} heatmaps
 * @property {(text: string) => void} announce
 * @property {(id: string) => void} showMessage shows a message in the chat
 * @property {() => void} closeSheet closes the chat sheet, which covers the canvas
 */

/**
 * @typedef {object} CardContext
 * @property {import('./canvas-state.js').CanvasState} state
 * @property {PageActions} actions
 * @property {(id: string) => void} openAgent
 * @property {(id: string) => void} showMessage shows a message in the chat
 * @property {() => void} makeRoom closes the card where it covers the canvas
 */

/**
 * Renders a time relative to now, or to the past moment that is shown.
 * @param {string | null | undefined} stamp
 * @param {CardContext} context
 */
export const whenTag = (stamp, { state: { shownTime } }) => (shownTime === null ? agoTag(stamp) : beforeTag(stamp, shownTime));

/** @param {string} what */
export function renderUnavailable(what) {
  return el('p', { class: 'card-time' }, translate('{what} did not load. Close the card, then try again.', { what }));
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
 * Creates a button that switches the highlight of an agent's pixels on, and makes room for them, or off.
 * @param {string} id
 * @param {CardContext} context
 */
export function createHighlightButton(id, { actions, makeRoom }) {
  const button = el('button', { type: 'button', 'data-focus-key': 'highlight', value: id }, translate('Highlight pixels'));
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-pressed') === 'true') return actions.view.highlightAgent(null);
    actions.view.highlightAgent(id);
    makeRoom();
  });
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
  const button = el('button', { type: 'button', 'data-focus-key': 'report' }, translate('Report'));
  button.addEventListener('click', () => openReport(target));
  return button;
}
