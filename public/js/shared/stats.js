// Polls the statistics, and detects a dead stream from the head's sequence number.

import { ApiError, getStats } from './api.js';
import { takeFirst } from './first-view.js';

const INTERVAL_MS = 30000;
const STALE_AFTER_MS = 10000;

/**
 * @param {(stats: import('./types.js').Stats) => void} show
 * @param {import('./sync.js').Sync} sync
 * @returns {() => void} a function that shows those of the rendered page, or fetches them
 */
export function startStats(show, sync) {
  const fetchAndShow = async () => {
    if (document.hidden) return;
    const stats = takeFirst('stats') ?? await getStats().catch((error) => handleFailure(error, sync));
    if (!stats) return;
    show(stats);
    if (sync.isLive) checkStream(stats.head, sync);
  };
  setInterval(fetchAndShow, INTERVAL_MS * (0.9 + Math.random() * 0.2));
  document.addEventListener('visibilitychange', fetchAndShow);
  return fetchAndShow;
}

/**
 * Reconnects the stream if the server cannot be reached at all.
 * @param {unknown} error
 * @param {import('./sync.js').Sync} sync
 */
function handleFailure(error, sync) {
  if (error instanceof ApiError && error.status === 0 && sync.isLive) sync.stream.fail();
  return null;
}

/**
 * Reconnects a stream that is behind the head: proxies and sleeping laptops keep dead connections open.
 * @param {number} head
 * @param {import('./sync.js').Sync} sync
 */
function checkStream(head, sync) {
  if (sync.hasReached(head)) return;
  setTimeout(() => {
    if (sync.isLive && !sync.hasReached(head)) sync.stream.fail();
  }, STALE_AFTER_MS);
}
