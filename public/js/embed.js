// Entry point of the embedded canvas: the live canvas alone, inside a frame of another site.

import { CanvasState } from './canvas/canvas-state.js';
import { CanvasView } from './canvas/canvas-view.js';
import { byId } from './shared/dom.js';
import { startStats } from './shared/stats.js';
import { Sync } from './shared/sync.js';
import { startWatchdog } from './shared/watchdog.js';

/** @typedef {import('./shared/types.js').Region} Region */

const LABELS = { connecting: 'Connecting', live: 'Live', down: 'Not live' };

const canvas = /** @type {HTMLCanvasElement} */ (byId('pixels'));
const overlay = /** @type {HTMLCanvasElement} */ (byId('overlay'));
const state = new CanvasState();
const view = new CanvasView({ slot: byId('frame-slot'), frame: byId('frame'), canvas, overlay }, state);
const region = readRegion(new URLSearchParams(location.search).get('region'));

/**
 * Returns the region in the URL; `null` for the whole canvas or an invalid region.
 * @param {string | null} text
 * @returns {Region | null}
 */
function readRegion(text) {
  const corners = (text ?? '').split(',').map(Number);
  if (corners.length !== 4 || !corners.every((side) => Number.isInteger(side) && side >= 0)) return null;
  const [x1, y1, x2, y2] = corners;
  return x1 <= x2 && y1 <= y2 ? { x1, y1, x2, y2 } : null;
}

/** Shows the region as large as the frame allows. */
function showRegion() {
  if (!region) return;
  const { x1, y1, x2, y2 } = region;
  const cell = Math.min(canvas.clientWidth / (x2 - x1 + 1), canvas.clientHeight / (y2 - y1 + 1));
  view.jumpTo((x1 + x2 + 1) / 2, (y1 + y2 + 1) / 2, cell);
}

/** @param {import('./shared/sync.js').ConnectionState} connection */
function showConnection(connection) {
  const status = byId('status');
  status.dataset.state = connection;
  /** @type {HTMLElement} */ (status.querySelector('.status-text')).textContent = LABELS[connection];
  byId('canvas-area').toggleAttribute('data-stale', connection === 'down');
}

const sync = new Sync({
  showCanvas: (body) => {
    state.load(body);
    view.reload();
    showRegion();
  },
  showChat: () => {},
  mergeChat: () => {},
  showChatError: () => {},
  setChatEnabled: () => {},
  handleEvent: (kind, data) => { if (kind === 'pixels') view.applyPlacements(data); },
  showSeason: () => {},
  showWatching: () => {},
  showConnection,
});

new ResizeObserver(showRegion).observe(byId('frame-slot'));
window.addEventListener('online', () => sync.resume());
window.addEventListener('offline', () => sync.stream.fail());
window.addEventListener('pagehide', () => sync.stream.close());
window.addEventListener('pageshow', (event) => { if (event.persisted) sync.resume(); });
startWatchdog(() => sync.resume());
// The numbers are not shown, but requesting them detects a dead stream.
startStats(() => {}, sync);
sync.start();
