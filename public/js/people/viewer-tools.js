// The composer, the actions on messages and the inbox of the viewer who is signed in.

import { Inbox } from './inbox.js';
import { Composer } from '../chat/composer.js';
import { showLinked } from '../chat/deep-link.js';
import { startViewerActions } from '../chat/viewer-actions.js';
import { byId } from '../shared/dom.js';

/**
 * @param {import('../shared/types.js').ViewerBody} me the answer of `/api/viewers/me`
 * @param {HTMLElement} place of the composer
 * @param {import('../chat/chat.js').Chat} chat
 */
export function startTools(me, place, chat) {
  const { viewer } = chat.context;
  viewer.id = me.viewer.id;
  const composer = new Composer(me);
  const asked = place.contains(document.activeElement);
  place.replaceWith(composer.node);
  if (asked) composer.focus();
  startViewerActions(chat, composer, me.may_speak);
  // Also shows the messages of this viewer as its own.
  viewer.setName(viewer.name ?? me.viewer.name, viewer.notify);
  document.dispatchEvent(new Event('signedin'));
  new Inbox(me, chat);
  // The inbox offers more than the notifications of an open page.
  byId('notify').hidden = Boolean(me.notifications?.push_key);
  // A click on a notification, while this page is open.
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (typeof data?.message === 'string') void showLinked(chat, data.message);
  });
}
