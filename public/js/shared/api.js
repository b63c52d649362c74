// The page's only door to the HTTP API: JSON in, a Refusal with the server's code out.

/** @typedef {import('./types.js').CanvasBody} CanvasBody */

const LIMIT_MS = 15000;

export class Refusal extends Error {
  /**
   * @param {number} status 0 when nothing answered
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
async function refusalOf(response) {
  const body = await response.json().catch(() => null);
  return new Refusal(response.status, body?.code ?? 'unknown', body?.detail ?? '');
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function get(path, signal) {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const response = await fetch(path, { headers: { Accept: 'application/json' }, signal: signal ? AbortSignal.any([signal, limit]) : limit })
    .catch((error) => { throw new Refusal(0, 'unreachable', String(error)); });
  if (!response.ok) throw await refusalOf(response);
  return response.json().catch((error) => { throw new Refusal(0, 'unreadable', String(error)); });
}

/** @returns {Promise<CanvasBody>} */
export const getCanvas = () => get('/api/canvas');

/**
 * The canvas of another moment.
 * @param {string | number} at an event's number, or a time
 * @param {AbortSignal} signal
 * @returns {Promise<CanvasBody>}
 */
export const getCanvasAt = (at, signal) => get(`/api/canvas?at=${encodeURIComponent(at)}`, signal);

/**
 * @param {number} from the first number
 * @param {number} limit
 * @returns {Promise<import('./types.js').History>}
 */
export const getHistory = (from, limit) => get(`/api/events?from=${from}&limit=${limit}`);

/**
 * @param {number} steps
 * @returns {Promise<import('./types.js').Timeline>}
 */
export const getTimeline = (steps) => get(`/api/timeline?steps=${steps}`);

/** @returns {Promise<import('./types.js').Stats>} */
export const getStats = () => get('/api/stats');

/**
 * @param {{before?: string, since?: string, at?: string | number, limit?: number}} [query] `before` names a message
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./types.js').ChatPage>}
 */
export const getChat = (query = {}, signal) => get(`/api/chat?${new URLSearchParams({ limit: '50', ...asText(query) })}`, signal);

/** @param {Record<string, string | number>} query */
const asText = (query) => Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/**
 * @param {number} x
 * @param {number} y
 * @returns {Promise<import('./types.js').Pixel>}
 */
export const getPixel = (x, y) => get(`/api/pixel?x=${x}&y=${y}`);

/**
 * What was said about a pixel.
 * @param {number} x
 * @param {number} y
 * @returns {Promise<import('./types.js').Story>}
 */
export const getStory = (x, y) => get(`/api/pixel/story?x=${x}&y=${y}`);

/** @returns {Promise<{pixels: import('./types.js').Pixel[]}>} */
export const getRecentPixels = () => get('/api/pixels/recent?limit=50');

/**
 * @param {string} id
 * @returns {Promise<{agent: {id: string, name: string}}>}
 */
export const getAgent = (id) => get(`/api/agents/${encodeURIComponent(id)}`);

/**
 * The same with what a card tells.
 * @param {string} id
 * @returns {Promise<import('./types.js').AgentBody>}
 */
export const getAgentCard = (id) => get(`/api/agents/${encodeURIComponent(id)}`);

/**
 * @param {string} by painter, age or contested
 * @returns {Promise<import('../canvas/heatmap-lenses.js').Heat>}
 */
export const getHeat = (by) => get(`/api/canvas/heat?by=${by}`);
