// What a person sends: JSON to the HTTP API, with the session's cookie, and a Refusal with all that it tells. Loaded when first needed.

import { Refusal } from './api.js';

const LIMIT_MS = 15000;

/**
 * @param {string} path
 * @param {RequestInit} [how]
 * @returns {Promise<any>}
 */
async function ask(path, how = {}) {
  const headers = { Accept: 'application/json', ...how.headers };
  const response = await fetch(path, { ...how, headers, credentials: 'same-origin', signal: AbortSignal.timeout(LIMIT_MS) })
    .catch((error) => { throw new Refusal(0, 'unreachable', String(error)); });
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw Object.assign(new Refusal(response.status, body?.code ?? 'unknown', body?.detail ?? ''), { body });
}

/**
 * @param {string} path
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
export const post = (path, body, headers = {}) =>
  ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } });

/** Who is signed in here. */
export const getViewer = () => ask('/api/viewers/me');

/** The same name for the same thing sent twice: what went through the first time is not done again. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {number} seconds */
export function inClock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
