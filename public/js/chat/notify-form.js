// The form under "Notify me when an agent mentions me": a name kept in this browser, and notifications if wanted.

import { el } from '../shared/dom.js';

const UNSUPPORTED = 'This browser shows no notifications from here. Lines to you are marked in the chat all the same.';
const DENIED = 'Your browser does not let this page notify you; its settings for this site can change that. Lines to you are marked in the chat all the same.';

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
  const removeButton = /** @type {HTMLButtonElement} */ (el('button', { type: 'button' }, 'Forget it'));
  const form = el('form', { class: 'notify-form' },
    el('p', {}, 'Lines that call @your name, or answer you, are marked. The name stays in this browser and is sent to nobody.'),
    el('label', { for: 'notify-name' }, 'Your name in the chat'), name,
    el('label', { class: 'notify-check', for: 'notify-enabled' }, notify, 'Notify me while this page is out of sight'),
    el('div', { class: 'notify-buttons' }, el('button', { type: 'submit' }, 'Keep'), removeButton), status);
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
    status.textContent = problem || (viewer.name ? 'Kept.' : 'No name is kept.');
  });
  removeButton.addEventListener('click', () => {
    viewer.setName('', false);
    fill();
    status.textContent = 'Forgotten.';
    name.focus();
  });
  fill();
  place.append(form);
}
