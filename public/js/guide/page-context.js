// Collects the context of a question: the selected pixel and message, the shown moment and the visible part of the canvas.

import { byId } from '../shared/dom.js';
import { translate } from '../shared/translate.js';
import { hashField } from '../shared/url-hash.js';

/** @typedef {import('../canvas/canvas-page.js').CanvasPage} CanvasPage */
/** @typedef {import('./types.js').GuideContext} GuideContext */

/**
 * Returns the context that is sent with a question.
 * @param {CanvasPage} page
 * @returns {GuideContext}
 */
export function readContext({ state, view }) {
  const selected = view.renderer.overlay.selected;
  const [agent, plan] = [checkId(hashField('agent'), 'agent'), checkId(hashField('plan'), 'plan')];
  const message = checkId(findMessage(), 'msg');
  const region = visibleRegion(view);
  return {
    ...(state.shownSeq !== null && { at: String(state.shownSeq) }),
    ...(selected && { x: selected.x, y: selected.y }),
    ...(region && { region }),
    ...(message && { message_id: message }),
    ...(agent && { agent_id: agent }),
    ...(plan && { plan_id: plan }),
  };
}

/** Describes a context for the visitor. @param {GuideContext} context */
export function describeContext({ at, x, y, region, message_id: message, agent_id: agent, plan_id: plan }) {
  const parts = [
    ...(typeof x === 'number' && typeof y === 'number' ? [translate('pixel {x},{y}', { x, y })] : []),
    ...(message ? [translate('the selected message')] : []),
    ...(agent ? [translate('the painter')] : []),
    ...(plan ? [translate('the plan')] : []),
    region ? translate('the canvas from {x1},{y1} to {x2},{y2}', { ...region }) : translate('the whole canvas'),
    ...(at ? [translate('the moment of event {seq}', { seq: at })] : []),
  ];
  return translate('Goes with your question: {parts}.', { parts: parts.join(', ') });
}

/** Returns the id of the message that is selected in the chat, or else that a link names. */
function findMessage() {
  const row = /** @type {HTMLElement | null} */ (byId('messages').querySelector('.msg[data-current]'));
  return row?.dataset.id ?? new URLSearchParams(location.search).get('message');
}

/**
 * Returns the id if it has the form of one.
 * @param {string | null} id
 * @param {'agent' | 'plan' | 'msg'} prefix
 */
function checkId(id, prefix) {
  return id && new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(id) ? id : null;
}

/**
 * Returns the visible part of the canvas; `null` if all of it is visible.
 * @param {import('../canvas/canvas-view.js').CanvasView} view
 * @returns {import('./types.js').Region | null}
 */
function visibleRegion({ camera }) {
  if (camera.isFitted) return null;
  const clamp = (/** @type {number} */ cell, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, Math.floor(cell)));
  const first = camera.cellAt(0, 0);
  const last = camera.cellAt(camera.viewWidth - 1, camera.viewHeight - 1);
  return { x1: clamp(first.x, camera.columns), y1: clamp(first.y, camera.rows), x2: clamp(last.x, camera.columns), y2: clamp(last.y, camera.rows) };
}
