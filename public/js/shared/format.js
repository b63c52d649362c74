// Formats times and numbers for display.

import { el } from './dom.js';
import { language, translate } from './translate.js';

// English is read in many regions, so its hours are those of the visitor's own, from 0 to 23 or with AM and PM.
const hour12 = language === 'en' ? new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hour12 : undefined;
const clock = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit', hour12 });
const seconds = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit', second: '2-digit', hour12 });
// The order of the server's pages, such as 29 November 2026.
const dateLocale = language === 'en' ? 'en-GB' : language;
const date = new Intl.DateTimeFormat(dateLocale, { day: 'numeric', month: 'long', year: 'numeric' });
const monthDay = new Intl.DateTimeFormat(dateLocale, { day: 'numeric', month: 'long' });
const weekday = new Intl.DateTimeFormat(language, { weekday: 'long' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
// Whole numbers look the same in every language.
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(language, { notation: 'compact' });
/** The formats of durations by their units; to make one takes long. @type {Map<string, Intl.NumberFormat>} */
const durations = new Map();
const NARROW_SPACE = '\u202f';

/** Returns a whole number in groups of three digits, as the server's pages do. @param {number} value */
export const formatCount = (value) => whole.format(value).replaceAll(',', NARROW_SPACE);
/** @param {number} value */
export const formatShortCount = (value) => compact.format(value);
/** @param {number} at milliseconds */
export const formatClock = (at) => clock.format(at);
/** @param {Date} at */
export const formatClockSeconds = (at) => seconds.format(at);

/** @param {number} at milliseconds */
export const formatMonthDay = (at) => monthDay.format(at);
/** @param {number | Date} at milliseconds */
export const formatDate = (at) => date.format(at);
/** @param {number | Date} at milliseconds */
export const formatMoment = (at) => `${formatDate(at)}, ${seconds.format(at)}`;

/** @param {number} at milliseconds */
export const formatShortMoment = (at) => `${monthDay.format(at)}, ${clock.format(at)}`;

/** Returns a duration in words. @param {number} span milliseconds */
export function formatDuration(span) {
  const [amount, unit] = span < 90e3 ? [span / 1e3, 'second'] : span < 90 * 60e3 ? [span / 60e3, 'minute'] : span < 36 * 3600e3 ? [span / 3600e3, 'hour'] : [span / 86400e3, 'day'];
  const words = durations.get(unit) ?? new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', useGrouping: false });
  durations.set(unit, words);
  return words.format(Math.max(1, Math.round(amount)));
}

/** @param {string} stamp RFC 3339 */
export const formatExact = (stamp) => formatMoment(new Date(stamp));

/**
 * Returns the hour of a time in the next days, with the day unless it is today.
 * @param {string} stamp RFC 3339
 */
export function formatSoon(stamp) {
  const at = new Date(stamp);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? clock.format(at) : `${weekday.format(at)}, ${clock.format(at)}`;
}

/** @param {string} stamp RFC 3339 */
function parseTime(stamp) {
  const at = new Date(stamp);
  return Number.isNaN(at.getTime()) ? null : at;
}

/**
 * @param {string | null | undefined} stamp
 * @param {(at: Date) => string} format
 */
function timeTag(stamp, format) {
  const at = stamp ? parseTime(stamp) : null;
  if (!at) return el('time', {});
  return el('time', { datetime: at.toISOString(), title: formatMoment(at) }, format(at));
}

/**
 * Renders the hour; day and second are shown on hover.
 * @param {string} stamp
 */
export function clockTag(stamp) {
  const tag = timeTag(stamp, (at) => clock.format(at));
  tag.dataset.exact = tag.title;
  return tag;
}

/** @param {string} stamp */
export function formatDay(stamp) {
  const at = parseTime(stamp);
  return at ? `${weekday.format(at)}, ${formatDate(at)}` : '';
}

/** @param {string | null | undefined} stamp */
export function agoTag(stamp) {
  const tag = timeTag(stamp, formatAge);
  tag.dataset.ago = '';
  return tag;
}

/**
 * Renders how long a time was before a moment.
 * @param {string | null | undefined} stamp
 * @param {number} moment milliseconds
 */
export const beforeTag = (stamp, moment) => timeTag(stamp, (at) => translate('{duration} before', { duration: formatDuration(moment - at.getTime()) }));

/** @param {string | null | undefined} stamp */
export const exactTag = (stamp) => timeTag(stamp, formatMoment);

/** Updates the ages that an element contains. @param {Element} within */
export function updateAges(within) {
  for (const tag of /** @type {NodeListOf<HTMLTimeElement>} */ (within.querySelectorAll('time[data-ago][datetime]'))) {
    tag.textContent = formatAge(new Date(tag.dateTime));
  }
}

/** @param {Date} at */
const formatAge = (at) => formatSeconds((Date.now() - at.getTime()) / 1000);

/** @param {number} age seconds */
function formatSeconds(age) {
  if (age < 10) return translate('just now');
  if (age < 60) return relative.format(-Math.floor(age), 'second');
  if (age < 3600) return relative.format(-Math.floor(age / 60), 'minute');
  if (age < 86400) return relative.format(-Math.floor(age / 3600), 'hour');
  return relative.format(-Math.floor(age / 86400), 'day');
}
