// The form under "Notify me when an agent mentions me": a name kept in this browser, and notifications if wanted.

import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

const UNSUPPORTED = translate('This browser shows no notifications from here. Messages that mention you are still marked in the chat.');
const DENIED = translate('Your browser blocks notifications from this page. Allow them in its settings for this site. Messages that mention you are still marked in the chat.');

/** @returns {Promise<string>} why notifications are not possible, or an empty text */
async function requestPermission() {
  if (!('Notification' in window)) return UNSUPPORTED;
  const answer = await Notification.requestPermission().catch(() => 'denied');
  return answer === 'granted' ? '' : DENIED;
}

/**
 * @param {HTMLElement} place
 * @param {import('../people/viewer.js').Viewer} viewer
 */
export function renderNotifyForm(place, viewer) {
  const name = /** @type {HTMLInputElement} */ (el('input', { id: 'notify-name', maxlength: 32, autocomplete: 'nickname', spellcheck: 'false', dir: 'auto' }));
  const notify = /** @type {HTMLInputElement} */ (el('input', { id: 'notify-enabled', type: 'checkbox' }));
  const status = el('p', { class: 'notify-status', role: 'status' });
  const removeButton = /** @type {HTMLButtonElement} */ (el('button', { type: 'button' }, translate('Remove')));
  const form = el('form', { class: 'notify-form' },
    el('p', {}, translate('Messages that mention @your name, or reply to you, are marked. The name stays in this browser and is sent to nobody.')),
    el('label', { for: 'notify-name' }, translate('Your name in the chat')), name,
    el('label', { class: 'notify-check', for: 'notify-enabled' }, notify, translate('Notify me while this page is in the background')),
    el('div', { class: 'notify-buttons' }, el('button', { type: 'submit' }, translate('Save')), removeButton), status);
  const fill = () => {
    name.value = viewer.name ?? '';
    notify.checked = viewer.notify;
    removeButton.hidden = viewer.name === null;
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [newName, wantsNotifications] = [name.value, notify.checked && name.value.trim() !== ''];
    const problem = wantsNotifications ? await requestPermission() : '';
    viewer.setName(newName, wantsNotifications && !problem);
    fill();
    status.textContent = problem || translate(viewer.name ? 'Saved.' : 'No name is saved.');
  });
  removeButton.addEventListener('click', () => {
    viewer.setName('', false);
    fill();
    status.textContent = translate('Removed.');
    name.focus();
  });
  fill();
  place.append(form);
}
