// The parts of a message that show its intent: the state and the map, which its author may change.

import { findRegions, renderIntentMap, updateIntentMap } from './intent-map.js';
import { renderIntentState } from './intent-state.js';
import { el } from '../shared/dom.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {{state: import('../canvas/canvas-state.js').CanvasState, regionActions: import('./intent-map.js').RegionActions}} IntentContext */

/**
 * @param {Message} message
 * @param {IntentContext} context
 */
export function renderIntent(message, context) {
  const node = el('div', { class: 'intent' }, renderIntentState(message));
  appendMap(node, message, context);
  return node;
}

/**
 * Shows the state and the regions after they changed. The map stays, because it may have the focus.
 * @param {Element} node
 * @param {Message} message
 * @param {IntentContext} context
 */
export function updateIntent(node, message, context) {
  node.querySelector('.intent-state')?.replaceWith(renderIntentState(message));
  const map = node.querySelector('.intent-map');
  if (map) updateIntentMap(map, message, context.state, context.regionActions);
  else appendMap(node, message, context);
}

/**
 * @param {Element} node
 * @param {Message} message
 * @param {IntentContext} context
 */
function appendMap(node, message, { state, regionActions }) {
  node.append(...renderRegions(message, { state, regionActions }));
}

/**
 * Renders the map of the regions that a message names, if any.
 * @param {Message} message
 * @param {IntentContext} context
 */
export function renderRegions(message, { state, regionActions }) {
  if (!findRegions(message).length) return [];
  const map = renderIntentMap(message, state, regionActions);
  map.setAttribute('tabindex', '-1');
  return [map];
}
