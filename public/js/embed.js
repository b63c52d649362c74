// The canvas alone, live, inside the frame that another site gives it.

import { CanvasState } from './canvas/canvas-state.js';
import { CanvasView } from './canvas/canvas-view.js';
import { byId } from './shared/dom.js';
import { startStats } from './shared/stats.js';
import { Sync } from './shared/sync.js';
import { startWake } from './shared/watchdog.js';

/** @typedef {import('./shared/types.js').Region} Region */

const WORDS = { connecting: 'Connecting', live: 'Live', down: 'Not live' };

const art = /** @type {HTMLCanvasElement} */ (byId('art'));
const overlay = /** @type {HTMLCanvasElement} */ (byId('overlay'));
const state = new CanvasState();
const view = new CanvasView({ nail: byId('nail'), frame: byId('frame'), art, overlay }, state);
const region = regionOf(new URLSearchParams(location.search).get('region'));

/**
 * The part of the canvas that the address asks for; null for the whole, or for what cannot be read.
 * @param {string | null} text
 * @returns {Region | null}
 */
function regionOf(text) {
  const sides = (text ?? '').split(',').map(Number);
  if (sides.length !== 4 || !sides.every((side) => Number.isInteger(side) && side >= 0)) return null;
  const [x1, y1, x2, y2] = sides;
  return x1 <= x2 && y1 <= y2 ? { x1, y1, x2, y2 } : null;
}

/** Shows the wanted part as large as the frame allows. */
function aim() {
  if (!region) return;
  const { x1, y1, x2, y2 } = region;
  const cell = Math.min(art.clientWidth / (x2 - x1 + 1), art.clientHeight / (y2 - y1 + 1));
  view.jumpTo((x1 + x2 + 1) / 2, (y1 + y2 + 1) / 2, cell);
}

/** @param {import('./shared/sync.js').Line} line */
function showLine(line) {
  const lamp = byId('status');
  lamp.dataset.state = line;
  /** @type {HTMLElement} */ (lamp.querySelector('.word')).textContent = WORDS[line];
  byId('stage').toggleAttribute('data-stale', line === 'down');
}

const sync = new Sync({
  showCanvas: (body) => {
    state.load(body);
    view.reload();
    aim();
  },
  showChat: () => {},
  mergeChat: () => {},
  chatRefused: () => {},
  event: (kind, data) => { if (kind === 'pixels') view.paint(data); },
  season: () => {},
  watching: () => {},
  line: showLine,
});

new ResizeObserver(aim).observe(byId('nail'));
window.addEventListener('online', () => sync.resume());
window.addEventListener('offline', () => sync.stream.fail());
window.addEventListener('pagehide', () => sync.stream.close());
window.addEventListener('pageshow', (event) => { if (event.persisted) sync.resume(); });
startWake(() => sync.resume());
// The numbers show nowhere here, but give away a stream that has fallen silent.
startStats(() => {}, sync);
sync.start();
