// The state with which the server has rendered the page, in the formats of the API: the page goes on from it, instead of
// requesting it again.

/**
 * @typedef {object} FirstView
 * @property {number} head the number of the newest event; its successors come with the stream
 * @property {number} version the number of the newest event that has changed the canvas
 * @property {import('./types.js').Stats | null} stats `null` if the server could not read it in time, like all that follows
 * @property {import('./types.js').Timeline | null} timeline
 * @property {import('./types.js').PlanPage | null} open_plans `null` if there are many
 * @property {import('./types.js').PlanPage | null} finished_plans
 * @property {import('./types.js').ChatPage | null} chat `null` if the chat is switched off
 */

// What the page took at first is not shown as new later.
const MAX_AGE_MS = 30000;
const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));

/** When the server's answer began to arrive, by the visitor's clock. */
export const pageReceivedAt = performance.timeOrigin + (navigation?.responseStart ?? 0);

/** @returns {FirstView | null} `null` if the page has none, or an old one from the browser's cache */
function readFirstView() {
  const node = document.getElementById('first-view');
  const text = node instanceof HTMLTemplateElement ? node.content.textContent : null;
  return text && navigation?.type !== 'back_forward' ? JSON.parse(text) : null;
}

let firstView = readFirstView();
/** The parts that were taken. @type {Set<string>} */
const taken = new Set();

/**
 * Returns a part of the state at the first call, `null` at later ones, for which it is too old.
 * @template {'stats' | 'timeline' | 'open_plans' | 'finished_plans'} Part
 * @param {Part} part
 * @returns {FirstView[Part] | null}
 */
export function takeFirst(part) {
  if (!firstView || taken.has(part) || performance.now() > MAX_AGE_MS) return null;
  taken.add(part);
  return firstView[part];
}

/** Forgets the state, because the server has another one. */
export function dropFirst() {
  firstView = null;
}

/** Returns the newest messages, and the events that they and the canvas reach; `null` if the page has none. */
export const firstChat = () => firstView && { head: firstView.head, version: firstView.version, page: firstView.chat };
