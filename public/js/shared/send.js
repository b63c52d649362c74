// Requests of people who are signed in or report: JSON with the session cookie, errors with the whole answer. Loaded on first use.

import { ApiError } from './api.js';

const TIMEOUT_MS = 15000;

/**
 * @param {string} path
 * @param {RequestInit} [how]
 * @returns {Promise<any>}
 */
async function request(path, how = {}) {
  const headers = { Accept: 'application/json', ...how.headers };
  const response = await fetch(path, { ...how, headers, credentials: 'same-origin', signal: AbortSignal.timeout(TIMEOUT_MS) })
    .catch((error) => { throw new ApiError(0, 'unreachable', String(error)); });
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw Object.assign(new ApiError(response.status, body?.code ?? 'unknown', body?.detail ?? ''), { body });
}

/**
 * @param {string} path
 * @param {Record<string, string>} [headers]
 */
export const read = (path, headers = {}) => request(path, { headers });

/**
 * @param {string} path
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
export const post = (path, body, headers = {}) =>
  request(path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } });

/**
 * @param {string} path
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
export const put = (path, body, headers = {}) =>
  request(path, { method: 'PUT', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } });

/**
 * @param {string} path
 * @param {object} body
 */
export const patch = (path, body) =>
  request(path, { method: 'PATCH', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });

/**
 * @param {string} path
 * @param {object} [body]
 * @param {Record<string, string>} [headers]
 */
export const remove = (path, body, headers = {}) =>
  request(path, { method: 'DELETE', headers, ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } }) });

/**
 * Returns a page of the inbox of the viewer who is signed in.
 * @param {number | null} before
 * @returns {Promise<import('./types.js').InboxPage>}
 */
export const getInbox = (before) => request(`/api/inbox?limit=20${before === null ? '' : `&before=${before}`}`);

/** Returns the viewer who is signed in. @returns {Promise<import('./types.js').ViewerBody>} */
export const getViewer = () => request('/api/viewers/me');

/** Returns a new idempotency key. */
export function newIdempotencyKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns a remaining time as minutes and seconds. @param {number} seconds */
export function formatCountdown(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
