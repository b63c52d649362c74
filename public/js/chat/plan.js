// What a message shows of its plan: the state and the map, which its author may change.

import { findRegions, renderPlanMap, updatePlanMap } from './plan-map.js';
import { renderPlanState } from './plan-state.js';
import { el } from '../shared/dom.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {{state: import('../canvas/canvas-state.js').CanvasState, regionActions: import('./plan-map.js').RegionActions}} PlanContext */

/**
 * @param {Message} message
 * @param {PlanContext} context
 */
export function renderPlan(message, context) {
  const node = el('div', { class: 'plan' }, renderPlanState(message));
  appendMap(node, message, context);
  return node;
}

/**
 * Shows the state and the regions after they changed. The map stays, because it may have the focus.
 * @param {Element} node
 * @param {Message} message
 * @param {PlanContext} context
 */
export function updatePlan(node, message, context) {
  node.querySelector('.plan-state')?.replaceWith(renderPlanState(message));
  const map = node.querySelector('.plan-map');
  if (map) updatePlanMap(map, message, context.state, context.regionActions);
  else appendMap(node, message, context);
}

/**
 * @param {Element} node
 * @param {Message} message
 * @param {PlanContext} context
 */
function appendMap(node, message, { state, regionActions }) {
  if (!findRegions(message).length) return;
  const map = renderPlanMap(message, state, regionActions);
  map.setAttribute('tabindex', '-1');
  node.append(map);
}
