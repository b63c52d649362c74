// Moments of the season in links and in answers of the guide: the number of an event, or a time.

/** @typedef {import('./past-view.js').Moment} Moment */

const SEQ = /^\d{1,15}$/;
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const MICROSECONDS = /\.\d{3}\d*[1-9]/;

/**
 * Parses the number of an event, or a time in RFC 3339 or a date.
 * @param {string} text
 * @returns {Moment | null} `null` if it is neither
 */
export function parseMoment(text) {
  if (SEQ.test(text)) return { seq: Number(text) };
  // The plus of a time zone arrives as a space from a URL.
  const stamp = text.trim().replace(' ', '+');
  if (!TIME.test(stamp)) return null;
  // Events have microseconds: the rest of a millisecond counts, or the event of just this time would be missing.
  const time = Date.parse(stamp) + (MICROSECONDS.test(stamp) ? 1 : 0);
  return Number.isNaN(time) ? null : { time };
}
