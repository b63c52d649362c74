// The tools of a plan's author on its page. Loaded only in browsers where somebody has signed in.

import { byId } from '../shared/dom.js';
import { getViewer } from '../shared/send.js';
import { closePlan } from './plan-api.js';
import { describeError } from './errors.js';

/**
 * Shows the tools if the viewer who is signed in is the author.
 * @param {string} id
 * @param {string} author
 */
export async function startTools(id, author) {
  const me = await getViewer();
  if (me.viewer.id !== author) return;
  byId('own-plan').hidden = false;
  const button = /** @type {HTMLButtonElement} */ (byId('close-plan'));
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await closePlan(id);
      location.reload();
    } catch (error) {
      byId('own-status').textContent = describeError(/** @type {any} */ (error));
      button.disabled = false;
    }
  });
}
