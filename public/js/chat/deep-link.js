// A link to a message, such as /?message=msg_…: shows the message, or says why it is not here. Loaded when a link names one.

import { ApiError, getMessage, getSeasons } from '../shared/api.js';
import { byId, el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { translate, translateNodes } from '../shared/translate.js';

/** Returns the id of the message that the address of the page names. */
const linkedMessage = () => new URLSearchParams(location.search).get('message');

/**
 * Shows the message that the address names, and removes it from the address.
 * @param {import('./chat.js').Chat} chat
 */
export async function openLinkedMessage(chat) {
  const id = linkedMessage();
  if (!id) return;
  history.replaceState(history.state, '', location.pathname + location.hash);
  await showLinked(chat, id);
}

/**
 * Shows a message of this season, or says where it is.
 * @param {import('./chat.js').Chat} chat
 * @param {string} id
 */
export async function showLinked(chat, id) {
  if (chat.context.find(id)) return void chat.showMessage(id);
  const answer = await getMessage(id).catch((error) => error);
  if (answer instanceof ApiError) return showNote(translate([400, 404].includes(answer.status) ? 'The link names a message that does not exist.' : 'The message of the link did not load. Open the link again.'));
  if (!answer.message.content) return showNote(translate('The message of the link was taken down.'));
  // The page of an ended season has that season's chat.
  const season = location.pathname === '/' ? await findEndedSeason(answer.message.seq) : undefined;
  if (season) {
    const link = el('a', { href: `/seasons/${season.number}?message=${encodeURIComponent(id)}` }, translate('Open that season'));
    return showNote(...translateNodes('The message is from {season}, a season that has ended. {link}', { season: season.title, link }));
  }
  if (!await chat.showMessage(id)) showNote(translate('The message of the link did not load. Open the link again.'));
}

/** @param {number} seq */
async function findEndedSeason(seq) {
  const { seasons } = await getSeasons().catch(() => ({ seasons: [] }));
  return seasons.find(({ first, last }) => seq >= first && last !== null && last !== undefined && seq <= last);
}

/** @param {...(Node | string)} parts */
function showNote(...parts) {
  byId('chat').dispatchEvent(new CustomEvent('showchat'));
  const note = el('div', { class: 'link-note', role: 'status' });
  const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Close') }, icon('close'));
  close.addEventListener('click', () => note.remove());
  byId('log').after(note);
  note.append(el('p', {}, ...parts), close);
}
