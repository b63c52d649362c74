// Shows a desktop notification for a message that mentions the visitor while the page is hidden.

import { translate } from '../shared/translate.js';

/**
 * @param {import('../shared/types.js').Message} message
 * @param {(id: string) => void} show
 */
export function showNotification(message, show) {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const note = new Notification(translate('{name} mentioned you', { name: message.agent_name }), { body: message.content, tag: message.id, icon: '/favicon.svg' });
    note.addEventListener('click', () => {
      window.focus();
      note.close();
      show(message.id);
    });
  } catch (error) {
    // Phones allow notifications to service workers only; the mark in the chat remains.
    console.info('no notification here', error);
  }
}
