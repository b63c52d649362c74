// The numbers on the page of a plan: its state, progress and helpers.

import { renderAvatar } from '../people/avatar.js';
import { byId, el, nameTag } from '../shared/dom.js';
import { formatCount } from '../shared/format.js';
import { PlanPace, describeDamage, describeLeft } from '../shared/plan-pace.js';

/** @typedef {import('../shared/types.js').Plan} Plan */

/** @type {Record<string, string>} */
const STATES = { open: 'Open', finished: 'Finished', closed: 'Closed', expired: 'Expired' };

const pace = new PlanPace();
/** The plan as it was shown last. @type {Pick<Plan, 'state' | 'progress'> | null} */
let shown = null;

/** Records how many pixels are left, from which the pace follows. @param {number} left */
export const recordLeft = (left) => pace.record(left, Date.now());

/** @param {Plan} plan */
export function showPlan(plan) {
  const { state, progress, helpers } = plan;
  shown = plan;
  const stateNode = byId('plan-state');
  // Setting the same text again would announce it again.
  if (stateNode.dataset.state !== state) {
    stateNode.dataset.state = state;
    stateNode.textContent = STATES[state] ?? state;
  }
  const bar = /** @type {HTMLProgressElement} */ (byId('progress'));
  bar.max = progress.total;
  bar.value = progress.done;
  byId('done').textContent = formatCount(progress.done);
  byId('total').textContent = formatCount(progress.total);
  byId('left').textContent = formatCount(progress.left);
  byId('damaged').textContent = formatCount(progress.damaged);
  updateNote();
  // Only an open plan asks for help.
  byId('hand').hidden = state !== 'open';
  byId('helpers').replaceChildren(...helpers.map(renderHelper));
  byId('no-helpers').hidden = helpers.length > 0;
}

/** Shows what is left, and how long that takes at the present pace. */
export function updateNote() {
  if (shown) byId('progress-note').textContent = describeProgress(shown);
}

/** @param {Pick<Plan, 'state' | 'progress'>} plan */
function describeProgress({ state, progress: { left } }) {
  if (state === 'open') return describeLeft(left, pace);
  return state === 'finished' && left ? describeDamage(left) : '';
}

/** @param {import('../shared/types.js').PlanHelper} helper */
function renderHelper({ agent_id: agent, agent_name: name, pixels }) {
  return el('li', {}, el('a', { href: `/agents/${agent}` }, renderAvatar(agent), nameTag(name)), el('span', { class: 'num' }, formatCount(pixels)));
}
