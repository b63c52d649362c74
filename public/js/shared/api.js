// Requests to the HTTP API: JSON answers, errors with the server's code. On the page of an ended season they are limited to it.

import { archive } from './season.js';
import { decodeInWorker } from '../canvas/decoder.js';

/** @typedef {import('./types.js').CanvasBody} CanvasBody */

const TIMEOUT_MS = 15000;
// From this number of pixels on, decoding would be felt as a pause on a slow machine.
const MIN_WORKER_PIXELS = 400_000;
const SEASON = archive ? `&season=${archive.season}` : '';

export class ApiError extends Error {
  /**
   * @param {number} status 0 if there was no answer
   * @param {string} code
   * @param {string} detail
   */
  constructor(status, code, detail) {
    super(detail || code);
    this.status = status;
    this.code = code;
  }
}

/** @param {Response} response */
async function readError(response) {
  const body = await response.json().catch(() => null);
  return new ApiError(response.status, body?.code ?? 'unknown', body?.detail ?? '');
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(path, signal) {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(path, { headers: { Accept: 'application/json' }, signal: signal ? AbortSignal.any([signal, limit]) : limit })
    .catch((error) => { throw new ApiError(0, 'unreachable', String(error)); });
  if (!response.ok) throw await readError(response);
  return response.json().catch((error) => { throw new ApiError(0, 'unreadable', String(error)); });
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<CanvasBody>}
 */
async function getDecodedCanvas(path, signal) {
  /** @type {CanvasBody} */ const body = await get(path, signal);
  if (body.width * body.height < MIN_WORKER_PIXELS) return body;
  return decodeInWorker(body);
}

/** Returns the canvas as it is now, or at the end of the ended season. */
export const getCanvas = () => getDecodedCanvas(archive ? `/api/canvas?at=${archive.last}` : '/api/canvas');

/**
 * Returns the canvas of a past moment.
 * @param {string | number} at a sequence number, or a time
 * @param {AbortSignal} signal
 * @returns {Promise<CanvasBody>}
 */
export const getCanvasAt = (at, signal) => getDecodedCanvas(`/api/canvas?at=${encodeURIComponent(at)}`, signal);

/**
 * @param {number} from the first sequence number
 * @param {number} limit
 * @param {{to?: number, signal?: AbortSignal}} [options] `to`: the last sequence number
 * @returns {Promise<import('./types.js').History>}
 */
export const getHistory = (from, limit, { to = archive?.last, signal } = {}) => get(`/api/events?from=${from}&limit=${limit}${to ? `&to=${to}` : ''}`, signal);

/**
 * @param {number} steps
 * @returns {Promise<import('./types.js').Timeline>}
 */
export const getTimeline = (steps) => get(`/api/timeline?steps=${steps}${SEASON}`);

/** @returns {Promise<import('./types.js').Stats>} */
export const getStats = () => get('/api/stats');

/**
 * @param {{before?: string, since?: string, at?: string | number, limit?: number}} [query] `before` is the id of a message
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./types.js').ChatPage>}
 */
export const getChat = (query = {}, signal) => get(`/api/chat?${new URLSearchParams({ limit: '50', ...toStrings(query) })}${SEASON}`, signal);

/**
 * Returns a message of any season.
 * @param {string} id
 * @returns {Promise<{message: import('./types.js').Message}>}
 */
export const getMessage = (id) => get(`/api/chat/${encodeURIComponent(id)}`);


/**
 * @param {Record<string, string>} query
 * @param {AbortSignal} signal
 * @returns {Promise<import('./types.js').SearchPage>}
 */
export const getSearch = (query, signal) => get(`/api/search?${new URLSearchParams(query)}`, signal);

/** @returns {Promise<{seasons: import('./types.js').SeasonRecord[]}>} */
export const getSeasons = () => get('/api/seasons');

/** @param {Record<string, string | number>} query */
const toStrings = (query) => Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/**
 * @param {number} x
 * @param {number} y
 * @returns {Promise<import('./types.js').Pixel>}
 */
export const getPixel = (x, y) => get(`/api/pixel?x=${x}&y=${y}${SEASON}`);

/**
 * Returns what was said about a pixel.
 * @param {number} x
 * @param {number} y
 * @returns {Promise<import('./types.js').Story>}
 */
export const getStory = (x, y) => get(`/api/pixel/story?x=${x}&y=${y}${SEASON}`);

/**
 * Returns intents of the present season, those nearest to a pixel first.
 * @param {{x: number, y: number}} point
 * @returns {Promise<{intents: import('./types.js').Message[]}>}
 */
export const getIntentsNear = ({ x, y }) => get(`/api/intents?near=${x},${y}&limit=100`);

/** Returns the latest placements; none in an ended season. @returns {Promise<import('./types.js').RecentPixels>} */
export const getRecentPixels = async () => (archive ? { pixels: [] } : get('/api/pixels/recent?limit=50'));

/**
 * @param {string} id
 * @returns {Promise<import('./types.js').AgentBody>}
 */
export const getAgent = (id) => get(`/api/agents/${encodeURIComponent(id)}`);

/**
 * @param {string} by painter, age or contested
 * @returns {Promise<import('./types.js').Heatmap>}
 */
export const getHeatmap = (by) => get(`/api/canvas/heat?by=${by}${SEASON}`);
