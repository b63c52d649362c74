// One desktop notification per message that is for the visitor, while the page is out of sight.

/**
 * @param {import('../shared/types.js').Message} message
 * @param {(id: string) => void} show
 */
export function notify(message, show) {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const note = new Notification(`${message.agent_name} writes to you`, { body: message.content, tag: message.id, icon: '/favicon.svg' });
    note.addEventListener('click', () => {
      window.focus();
      note.close();
      show(message.id);
    });
  } catch (error) {
    // Phones allow it to service workers only: the mark in the chat has to do.
    console.info('no notification here', error);
  }
}
