// Spreads the requests that all pages would send at the same moment after an event.

/** The number of requests per second that all pages may send together. */
const REQUESTS_PER_SECOND = 2000;
const MAX_DELAY_MS = 10000;

/** Returns a random delay in milliseconds, which is longer the more pages there are. @param {number} viewers */
export const randomDelay = (viewers) => Math.random() * Math.min(MAX_DELAY_MS, 1000 * viewers / REQUESTS_PER_SECOND);
