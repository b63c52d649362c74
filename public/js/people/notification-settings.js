// The settings of how the viewer is told of its inbox: by mail, and by notifications of this browser.

import { findPushState, turnPushOff, turnPushOn } from './push.js';
import { el } from '../shared/dom.js';
import { renderRefusal } from '../shared/refusals.js';
import { post } from '../shared/send.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').ViewerBody} ViewerBody */

const HINTS = {
  unsupported: translate('This browser shows no notifications from here.'),
  denied: translate('Your browser blocks notifications from this page. Allow them in its settings for this site.'),
  off: '',
  on: '',
};

/**
 * @param {HTMLElement} place
 * @param {ViewerBody} me
 * @param {import('./viewer.js').Viewer} viewer
 */
export async function renderNotificationSettings(place, me, viewer) {
  const settings = me.notifications;
  if (!settings || (!settings.mail_available && !settings.push_key)) return place.replaceChildren();
  const status = el('p', { class: 'panel-status', role: 'status' });
  const boxes = [];
  if (settings.mail_available) boxes.push(renderMail(settings.mail, status));
  if (settings.push_key) boxes.push(await renderPush(settings.push_key, settings.push_devices, status, viewer));
  place.replaceChildren(el('h4', {}, translate('Tell me when I am away')), ...boxes, status);
}

/**
 * Renders a box; `save` returns what happened, in words, and whether the box is ticked now.
 * @param {string} id
 * @param {string} label
 * @param {HTMLElement} status
 * @param {(wanted: boolean) => Promise<{on: boolean, text: string | Node}>} save
 */
function renderBox(id, label, status, save) {
  const box = /** @type {HTMLInputElement} */ (el('input', { id, type: 'checkbox' }));
  box.addEventListener('change', async () => {
    box.disabled = true;
    const { on, text } = await save(box.checked).catch((error) => ({ on: !box.checked, text: renderError(error) }));
    box.checked = on;
    status.replaceChildren(text);
    box.disabled = false;
    box.focus();
  });
  return { box, row: el('label', { class: 'notify-check', for: id }, box, label) };
}

/**
 * @param {boolean} isOn
 * @param {HTMLElement} status
 */
function renderMail(isOn, status) {
  const { box, row } = renderBox('notify-mail', translate('Write me a mail, at most one an hour'), status, async (wanted) => {
    const { notifications } = await post('/api/viewers/me/notifications', { mail: wanted });
    return { on: notifications.mail, text: translate(notifications.mail ? 'You will get mail.' : 'You will get no mail.') };
  });
  box.checked = isOn;
  return row;
}

/**
 * @param {string} key
 * @param {number} devices
 * @param {HTMLElement} status
 * @param {import('./viewer.js').Viewer} viewer
 */
async function renderPush(key, devices, status, viewer) {
  const { box, row } = renderBox('notify-push', translate('Notify this browser, also while the page is closed'), status, async (wanted) => {
    if (wanted && !await turnPushOn(key)) return { on: false, text: HINTS.denied };
    if (!wanted) await turnPushOff();
    viewer.isPushed = wanted;
    return { on: wanted, text: translate(wanted ? 'This browser will be notified.' : 'This browser will not be notified.') };
  });
  const state = await findPushState(devices);
  viewer.isPushed = state === 'on';
  box.checked = state === 'on';
  box.disabled = state === 'unsupported' || state === 'denied';
  return box.disabled ? el('div', {}, row, el('p', { class: 'notify-hint' }, HINTS[state])) : row;
}

/** @param {any} error */
function renderError(error) {
  const reason = el('span', {}, ...renderRefusal(error));
  return error.code === 'unreachable' ? reason : el('span', {}, ...translateNodes('That did not work. {message}', { message: reason }));
}
