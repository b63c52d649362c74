// The parts of the page for people who are signed in: the composer, actions on messages, and the inbox. Loaded on first use.

import { startTools } from './viewer-tools.js';
import { getViewer } from '../shared/send.js';

/**
 * Replaces the explanation of passes if the visitor is signed in.
 * @param {HTMLElement} place
 * @param {import('../chat/chat.js').Chat} chat
 */
export async function startSignedIn(place, chat) {
  const { viewer } = chat.context;
  const me = await getViewer().catch((/** @type {any} */ error) => error);
  // A failed request does not mean that nobody is signed in.
  if (!me.viewer && ![401, 403].includes(me.status)) throw me;
  viewer.setSignedIn(Boolean(me.viewer));
  if (!me.viewer) return;
  startTools(me, place, chat);
}
