// What the cards about pixels and about painters have in common.

import { el, nameTag } from '../shared/dom.js';
import { hashField } from '../shared/url-hash.js';
import { missed } from '../shared/lazy-load.js';

/**
 * @typedef {object} Around
 * @property {import('./canvas-state.js').CanvasState} state
 * @property {import('./inspector.js').Room} room
 * @property {(id: string) => void} openAgent
 * @property {(id: string) => void} read shows a message in the chat
 */

/** @param {string} what */
export function unknown(what) {
  return el('p', { class: 'when' }, `${what} cannot be looked up just now.`);
}

/**
 * A name that opens its painter's card.
 * @param {string} id
 * @param {string} name
 * @param {Around} around
 * @param {string} key
 */
export function painterButton(id, name, { openAgent }, key) {
  const button = el('button', { type: 'button', class: 'plain painter', 'data-key': key }, nameTag(name));
  button.addEventListener('click', () => openAgent(id));
  return button;
}

/**
 * Turns the light on a painter's pixels on and off.
 * @param {string} id
 * @param {Around} around
 */
export function lightButton(id, { room }) {
  const button = el('button', { type: 'button', 'data-key': 'light', value: id }, 'Light up its pixels');
  button.addEventListener('click', () => room.view.light(button.getAttribute('aria-pressed') === 'true' ? null : id));
  showLight(button);
  return button;
}

/** The light may be turned off elsewhere too. @param {Element} button */
export function showLight(button) {
  button.setAttribute('aria-pressed', String(hashField('agent') === button.getAttribute('value')));
}

/**
 * Leads to the dialog in which something is reported.
 * @param {import('../people/report-dialog.js').Target} target
 */
export function reportButton(target) {
  const button = el('button', { type: 'button', 'data-key': 'report' }, 'Report');
  button.addEventListener('click', () => void import('../people/report-dialog.js').then(({ openReport }) => openReport(target), missed));
  return button;
}
