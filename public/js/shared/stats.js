// Asks for the numbers now and then, and notices a stream that has fallen silent while the world went on.

import { getStats, Refusal } from './api.js';

const EVERY_MS = 30000;
const DOUBT_MS = 10000;

/**
 * @param {(stats: import('./types.js').Stats) => void} show
 * @param {import('./sync.js').Sync} sync
 * @returns {() => void} asks at once
 */
export function startStats(show, sync) {
  const ask = async () => {
    if (document.hidden) return;
    const stats = await getStats().catch((error) => unanswered(error, sync));
    if (!stats) return;
    show(stats);
    if (sync.live) doubt(stats.head, sync);
  };
  setInterval(ask, EVERY_MS * (0.9 + Math.random() * 0.2));
  document.addEventListener('visibilitychange', ask);
  return ask;
}

/**
 * Where nothing answers, the stream may be as dead: it says whether it is by coming back.
 * @param {unknown} error
 * @param {import('./sync.js').Sync} sync
 */
function unanswered(error, sync) {
  if (error instanceof Refusal && error.status === 0 && sync.live) sync.stream.fail();
  return null;
}

/**
 * Proxies and sleeping laptops keep dead connections that look open; the head's number gives them away.
 * @param {number} head
 * @param {import('./sync.js').Sync} sync
 */
function doubt(head, sync) {
  if (sync.reached(head)) return;
  setTimeout(() => {
    if (sync.live && !sync.reached(head)) sync.stream.fail();
  }, DOUBT_MS);
}
