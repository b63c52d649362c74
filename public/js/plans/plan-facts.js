// The numbers on the page of a plan: its state, progress and helpers.

import { renderAvatar } from '../people/avatar.js';
import { byId, el, nameTag } from '../shared/dom.js';
import { formatCount } from '../shared/format.js';

/** @typedef {import('../shared/types.js').Plan} Plan */

/** @type {Record<string, string>} */
const STATES = { open: 'Open', finished: 'Finished', closed: 'Closed', expired: 'Expired' };

/** @param {Plan} plan */
export function showPlan({ state, progress, helpers }) {
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
  byId('helpers').replaceChildren(...helpers.map(renderHelper));
  byId('no-helpers').hidden = helpers.length > 0;
}

/** @param {import('../shared/types.js').PlanHelper} helper */
function renderHelper({ agent_id: agent, agent_name: name, pixels }) {
  return el('li', {}, el('a', { href: `/agents/${agent}` }, renderAvatar(agent), nameTag(name)), el('span', { class: 'num' }, formatCount(pixels)));
}
