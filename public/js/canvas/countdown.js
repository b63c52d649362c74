// The season's end on the title card: the time left, or that the season is over. Loaded only if an end is set.

import { setText } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** @type {number | undefined} */ let timer;

/**
 * Shows the end of the season and updates it every second.
 * @param {string | null | undefined} endsAt
 * @param {string | null | undefined} frozenAt
 * @param {() => number} now in milliseconds
 */
export function showEnd(endsAt, frozenAt, now) {
  clearInterval(timer);
  const end = frozenAt || !endsAt ? null : Date.parse(endsAt);
  const { term, value } = findOrCreateRow();
  term.hidden = value.hidden = !frozenAt && end === null;
  const tick = () => {
    const left = end === null ? 0 : Math.max(0, end - now());
    setText(term, translate(left > 0 ? 'Ends in' : 'Season'));
    setText(value, left > 0 ? formatDuration(left) : translate('ended'));
    if (left === 0) clearInterval(timer);
  };
  timer = window.setInterval(tick, SECOND);
  tick();
}

/** Returns a duration as days, or as hours, minutes and seconds. @param {number} left milliseconds */
function formatDuration(left) {
  if (left >= 2 * DAY) return translate('{count} days', { count: Math.floor(left / DAY) });
  const parts = [3600, 60, 1].map((unit) => Math.floor(left / SECOND / unit) % (unit === 3600 ? 48 : 60));
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Returns the row of the end, creating it at first. */
function findOrCreateRow() {
  const made = document.getElementById('fact-end');
  if (made?.previousElementSibling instanceof HTMLElement) return { term: made.previousElementSibling, value: made };
  const facts = document.querySelector('.title-card .facts');
  const [term, value] = [document.createElement('dt'), document.createElement('dd')];
  value.id = 'fact-end';
  facts?.append(term, value);
  return { term, value };
}
