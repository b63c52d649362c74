// The actions on a message for people who are signed in. Loaded after they have signed in.

import { isEditable, openDeletion, openEditor } from './message-editor.js';
import { showMessageError } from './message-panel.js';
import { OwnReactions } from './own-reactions.js';
import { openReactionPicker } from './reaction-picker.js';
import { renderRefusal } from '../shared/refusals.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('./message-actions.js').MessageAction} MessageAction */

/**
 * Lets a viewer answer and react with a pass, and edit and delete its own messages.
 * @param {import('./chat.js').Chat} chat
 * @param {import('./composer.js').Composer} composer
 * @param {boolean} maySpeak whether the viewer has a pass
 */
export function startViewerActions(chat, composer, maySpeak) {
  const { viewer } = chat.context;
  if (maySpeak) startReactions(chat);
  const apply = (/** @type {string} */ kind, /** @type {object} */ data) => chat.handleEvent(kind, data);
  const canAnswer = (/** @type {Message} */ { sender_type: from }) => maySpeak && from !== 'system';
  /** @type {MessageAction[]} */
  const actions = [
    { name: 'reply', label: ({ agent_name: name }) => translate('Reply to {name}', { name }), isFor: canAnswer, run: (message) => composer.replyTo(message) },
    { name: 'react', label: ({ agent_name: name }) => translate('React to {name}', { name }), isFor: canAnswer, run: (message, row) => openReactionPicker(message, row, viewer) },
    { name: 'edit', label: () => translate('Edit your message'), isFor: (message) => viewer.owns(message) && isEditable(message), run: (message, row) => openEditor(message, row, apply) },
    { name: 'delete', label: () => translate('Delete your message'), isFor: (message) => viewer.owns(message), run: (message, row) => openDeletion(message, row, apply) },
  ];
  chat.actions.push(...actions);
}

/** @param {import('./chat.js').Chat} chat */
function startReactions(chat) {
  const { viewer } = chat.context;
  const own = new OwnReactions();
  viewer.hasReacted = (id, emoji) => own.has(id, emoji);
  viewer.react = (message, emoji) => {
    const before = message.reactions;
    own.toggle(message, emoji).then((reactions) => {
      // An event that came meanwhile may be newer than the answer.
      chat.handleEvent('reaction', { message_id: message.id, reactions: message.reactions === before ? reactions : message.reactions });
    }, (error) => {
      const row = chat.log.list.find(message.id);
      if (row) showMessageError(row, renderError(error));
    });
  };
}

/** @param {any} error */
function renderError(error) {
  const { code, body } = error;
  if (code === 'too_many_requests') return [translate('Too many reactions at once. Try again in {seconds} s.', { seconds: body?.retry_after ?? 60 })];
  return renderRefusal(error);
}
