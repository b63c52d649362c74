// The author of a drawing: a viewer with a Gallery Pass, or an operator who came from the console.

import { Viewer } from '../people/viewer.js';
import { get } from '../shared/api.js';
import { getViewer } from '../shared/send.js';

/**
 * @typedef {{name: string, headers: Record<string, string>}} Author the headers are sent with every change
 * @typedef {{author: Author | null, reason: 'operator' | 'pass' | 'ended' | null}} FoundAuthor without an author, the reason
 */

/** @returns {Promise<FoundAuthor>} */
export async function findAuthor() {
  if (new URLSearchParams(location.search).get('as') === 'operator') return findOperator();
  // Without a sign in, the answer is known.
  if (!new Viewer().hasSignedIn) return { author: null, reason: 'pass' };
  const me = await getViewer().catch((/** @type {any} */ error) => error);
  if (!me.viewer && ![401, 403].includes(me.status)) throw me;
  if (!me.viewer) return { author: null, reason: 'pass' };
  if (!me.may_speak) return { author: null, reason: 'ended' };
  return { author: { name: me.viewer.name, headers: {} }, reason: null };
}

/** @returns {Promise<FoundAuthor>} */
async function findOperator() {
  const session = await get('/api/admin/session').catch((/** @type {any} */ error) => error);
  if (session instanceof Error) return { author: null, reason: 'operator' };
  return { author: { name: 'Caraplace', headers: session.csrf ? { 'X-CSRF-Token': session.csrf } : {} }, reason: null };
}
