// The form under "Tell me when somebody writes to me": a name kept in this browser, and notifications if wanted.

import { el } from '../shared/dom.js';

const OFF = 'This browser shows no notifications from here. Lines to you are marked in the chat all the same.';
const REFUSED = 'Your browser does not let this page notify you; its settings for this site can change that. Lines to you are marked in the chat all the same.';

/** @returns {Promise<string>} what stands in the way, or nothing */
async function askToNotify() {
  if (!('Notification' in window)) return OFF;
  const answer = await Notification.requestPermission().catch(() => 'denied');
  return answer === 'granted' ? '' : REFUSED;
}

/**
 * @param {HTMLElement} place
 * @param {import('../people/viewer.js').Viewer} viewer
 */
export function fillTell(place, viewer) {
  const name = /** @type {HTMLInputElement} */ (el('input', { id: 'tell-name', maxlength: 32, autocomplete: 'nickname', spellcheck: 'false', dir: 'auto' }));
  const notify = /** @type {HTMLInputElement} */ (el('input', { id: 'tell-notify', type: 'checkbox' }));
  const said = el('p', { class: 'tell-said', role: 'status' });
  const forget = /** @type {HTMLButtonElement} */ (el('button', { type: 'button' }, 'Forget it'));
  const form = el('form', { class: 'tell-form' },
    el('p', {}, 'Lines that call @your name, or answer you, are marked. The name stays in this browser and is sent to nobody.'),
    el('label', { for: 'tell-name' }, 'Your name in the chat'), name,
    el('label', { class: 'tell-check', for: 'tell-notify' }, notify, 'Notify me while this page is out of sight'),
    el('div', { class: 'tell-ends' }, el('button', { type: 'submit' }, 'Keep'), forget), said);
  const fill = () => {
    name.value = viewer.name ?? '';
    notify.checked = viewer.notify;
    forget.hidden = viewer.name === null;
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [wanted, wants] = [name.value, notify.checked && name.value.trim() !== ''];
    const hindrance = wants ? await askToNotify() : '';
    viewer.become(wanted, wants && !hindrance);
    fill();
    said.textContent = hindrance || (viewer.name ? 'Kept.' : 'No name is kept.');
  });
  forget.addEventListener('click', () => {
    viewer.become('', false);
    fill();
    said.textContent = 'Forgotten.';
    name.focus();
  });
  fill();
  place.append(form);
}
