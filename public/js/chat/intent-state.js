// The state of an intent, as a label that changes when the intent expires by the page's clock.

import { archive } from '../shared/season.js';
import { el } from '../shared/dom.js';
import { formatExact, formatSoon } from '../shared/format.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Message} Message */

// Browsers treat a longer delay as none.
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The label of an intent that is not live. @type {Record<NonNullable<Message['state']>, string>} */
const ENDED_LABELS = { open: translate('ended'), done: translate('done'), withdrawn: translate('withdrawn') };

/** One timer for all labels: it waits for the intent that expires first. */
let timer = 0;
let timerAt = Infinity;

/** Returns whether an intent has neither been ended, by its author or with its season, nor expired. @param {Message} message */
export const isLive = ({ state, expires_at: until }) => !archive && state === 'open' && Date.parse(until ?? '') > Date.now();

/** @param {Message} message */
export function renderIntentState(message) {
  const { state, expires_at: until } = message;
  if (!until || !isLive(message)) return el('p', { class: 'intent-state' }, ENDED_LABELS[state ?? 'open']);
  watchExpiry(Date.parse(until));
  return el('p', { class: 'intent-state', 'data-live-until': until, title: formatExact(until) }, translate('open until {time}', { time: formatSoon(until) }));
}

/** @param {number} at milliseconds */
function watchExpiry(at) {
  if (at >= timerAt) return;
  clearTimeout(timer);
  timerAt = at;
  timer = setTimeout(updateExpired, Math.min(MAX_DELAY_MS, at - Date.now()));
}

/** Changes the labels of the intents that have expired, and waits for the next one. */
function updateExpired() {
  timerAt = Infinity;
  for (const label of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.intent-state[data-live-until]'))) {
    const at = Date.parse(label.dataset.liveUntil ?? '');
    if (at <= Date.now()) label.replaceWith(el('p', { class: 'intent-state' }, ENDED_LABELS.open));
    else watchExpiry(at);
  }
}

// A timer does not run while the device sleeps.
document.addEventListener('visibilitychange', updateExpired);
