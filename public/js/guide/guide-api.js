// Requests of the guide. A browser with an operator's session sends the token of the console if the server wants it.

import { post, read, remove } from '../shared/send.js';

/** @typedef {import('./types.js').Responses} Responses */
/** @typedef {import('./types.js').GuideContext} GuideContext */

const TOKEN = 'X-CSRF-Token';
/** Headers of every request. With the token, they are an operator's. @type {Record<string, string>} */ let headers = {};

/** Returns the session of the operator who is signed in; `null` if nobody is. @returns {Promise<Responses['GET /api/admin/session'] | null>} */
export async function findOperator() {
  try {
    return await read('/api/admin/session');
  } catch (error) {
    if ([401, 403, 404].includes(/** @type {any} */ (error).status)) return null;
    throw error;
  }
}

/** Returns whether the requests are those of an operator. */
export const isOperator = () => TOKEN in headers;

/**
 * Makes a change, again with the operator's token if the server wants one, or another one after a new sign-in.
 * @template T
 * @param {(headers: Record<string, string>) => Promise<T>} send
 * @returns {Promise<T>}
 */
async function change(send) {
  try {
    return await send(headers);
  } catch (caught) {
    const error = /** @type {any} */ (caught);
    if (error.code !== 'forbidden') throw error;
    const token = (await findOperator().catch(() => null))?.csrf;
    if (!token || token === headers[TOKEN]) throw error;
    const withToken = { [TOKEN]: token };
    const answer = await send(withToken).catch((/** @type {any} */ again) => { throw again.status === 404 ? error : again; });
    headers = withToken;
    return answer;
  }
}

/** Returns the visitor's conversation. @returns {Promise<import('./types.js').GuideMessages>} */
export const getConversation = () => read('/api/guide/messages', headers);

/**
 * Asks a question. Its answer comes in a stream.
 * @param {string} content
 * @param {GuideContext} context
 * @returns {Promise<Responses['POST /api/guide/messages']>}
 */
export const postQuestion = (content, context) =>
  change((how) => post('/api/guide/messages', { content, ...(Object.keys(context).length > 0 && { context }) }, how));

/**
 * Opens the stream of a question's answer.
 * @param {string} messageId the id of the question
 * @param {AbortSignal} signal
 */
export const openStream = (messageId, signal) =>
  fetch(`/api/guide/stream?message=${encodeURIComponent(messageId)}`, { headers: { Accept: 'text/event-stream', ...headers }, credentials: 'same-origin', signal });

/** Deletes the visitor's conversation. */
export const deleteConversation = () => change((how) => remove('/api/guide', undefined, how));

/** Returns the visitor's newest drafts. @returns {Promise<import('./types.js').DraftPage>} */
export const getDrafts = () => read('/api/guide/drafts?limit=100', headers);

/**
 * @param {string} id
 * @param {'approve' | 'reject'} decision
 * @returns {Promise<Responses['POST /api/guide/drafts/{id}/approve']>}
 */
export const decideDraft = (id, decision) => change((how) => post(`/api/guide/drafts/${encodeURIComponent(id)}/${decision}`, {}, how));
