// Hangs the page: makes its parts and connects them; nothing else happens here.

import { getRecentPixels } from './shared/api.js';
import { CanvasInput } from './canvas/pointer-input.js';
import { CanvasKeys } from './canvas/keyboard-input.js';
import { CanvasState } from './canvas/canvas-state.js';
import { CanvasView } from './canvas/canvas-view.js';
import { Chat } from './chat/chat.js';
import { byId } from './shared/dom.js';
import { hashField, startHash } from './shared/url-hash.js';
import { startJoin } from './people/join.js';
import { missed, once, style } from './shared/lazy-load.js';
import { Names } from './people/agent-names.js';
import { Painters } from './people/painters.js';
import { Placard } from './canvas/title-card.js';
import { showZoom } from './canvas/pointer-info.js';
import { seasonOf } from './shared/season.js';
import { startSheet } from './chat/bottom-sheet.js';
import { startStats } from './shared/stats.js';
import { Status } from './shared/connection-status.js';
import { Sync } from './shared/sync.js';
import { startTheme } from './shared/theme.js';
import { Viewer } from './people/viewer.js';
import { startWake } from './shared/watchdog.js';
import { startTools } from './canvas/toolbar.js';

/** @typedef {import('./shared/types.js').Region} Region */

// What is not part of the first view does not compete with it.
const LATER_MS = 1000;
const AHEAD_MS = 5000;

const art = /** @type {HTMLCanvasElement} */ (byId('art'));
const overlay = /** @type {HTMLCanvasElement} */ (byId('overlay'));
const state = new CanvasState();
const view = new CanvasView({ nail: byId('nail'), frame: byId('frame'), art, overlay }, state);
const names = new Names();
const placard = new Placard();
const hash = startHash(view);
const sheet = startSheet();

/** Who asks for a place wants to see it, and not be led away. */
function go(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ cell) {
  view.hold();
  view.parts.frame.scrollIntoView({ block: 'nearest' });
  view.flyTo(x, y, cell);
}

const visit = (/** @type {number} */ x, /** @type {number} */ y) => go(x + 0.5, y + 0.5, Math.max(12, view.camera.cssCell));

/** @param {Region} region */
function visitRegion(region) {
  sheet.close();
  const cell = Math.min(art.clientWidth / (region.x2 - region.x1 + 9), art.clientHeight / (region.y2 - region.y1 + 9));
  go((region.x1 + region.x2 + 1) / 2, (region.y1 + region.y2 + 1) / 2, Math.min(32, cell));
}

const painters = new Painters(byId('painters'), names, visit);
const viewer = new Viewer();
const guide = { outline: (/** @type {Region | null} */ region) => view.outline(region), visit: visitRegion };
const openAgent = (/** @type {string} */ id) => withCard((card) => card.openAgent(id));
const chat = new Chat({ state, guide, names, viewer, openAgent });
/** The card comes when first asked for. @type {import('./canvas/inspector.js').Inspect | null} */
let inspect = null;
const bringCard = once(async () => {
  const [{ Inspect }] = await Promise.all([import('./canvas/inspector.js'), style('/css/inspect.css')]);
  return (inspect = new Inspect(byId('inspect'), state, {
    view,
    guide,
    say: (text) => { byId('spoken').textContent = text; },
    read: (id) => void chat.show(id),
    uncover: () => sheet.close(),
  }));
});
const withCard = (/** @type {(card: import('./canvas/inspector.js').Inspect) => void} */ act) => void bringCard().then(act, missed);
/** A copied link asks for a pixel's card. */
const restoreCard = () => { if (hashField('pixel') && !inspect?.card.isOpen) withCard((card) => card.restore()); };

const sync = new Sync({
  showCanvas: (body) => {
    state.load(body);
    view.reload();
    placard.showCanvas(body);
    hash.restore();
    season = seasonOf(body.season).id;
    startTime();
    tools.reloaded();
    restoreCard();
    inspect?.again();
    askStats();
    getRecentPixels().then(({ pixels }) => painters.seed(pixels), () => {});
  },
  showChat: (page) => chat.reset(page),
  mergeChat: (page) => chat.merge(page),
  chatRefused: (code) => chat.refused(code),
  event: (kind, data) => {
    inspect?.heard(kind, data);
    if (kind !== 'pixels') return chat.event(kind, data);
    view.paintNow(data);
    if (state.moment !== null) void timeBar?.then((bar) => bar?.missed(data.length));
    placard.saw(data);
    painters.saw(data);
    inspect?.saw(data);
  },
  season: (season) => placard.showSeason(season),
  watching: (spectators) => placard.watching(spectators),
  line: (line) => {
    status.show(line);
    if (line === 'down') placard.dim();
    if (line === 'live') answered();
  },
});
const status = new Status(() => sync.resume());
let season = '';
/** @type {Promise<import('./time/time-bar.js').TimeBar | null> | null} */
let timeBar = null;
function startTime() {
  timeBar ??= bringTime().catch(() => (timeBar = null));
  void timeBar.then((bar) => bar?.start(season));
}

/** The server answers, again perhaps: what it did not tell or send before is asked for anew, the rest before it is wanted. */
function answered() {
  inspect?.again();
  startTime();
  if (viewer.speaks) setTimeout(() => void speak().catch(() => {}), LATER_MS);
  setTimeout(() => void import('./shared/prefetch.js').catch(() => {}), AHEAD_MS);
}

/** The bar is not part of the first view: its place is kept, and it comes when now is seen. */
async function bringTime() {
  if (!location.hash.includes('at=')) await new Promise((done) => setTimeout(done, LATER_MS));
  const { TimeBar } = await import('./time/time-bar.js');
  return new TimeBar({
    show: { view, state, chat, head: () => sync.stream.last ?? 0 },
    past: (at) => {
      status.past(true);
      placard.showPast(at);
    },
    present: () => {
      status.past(false);
      placard.showPresent();
    },
    told: (scale) => placard.tell(scale),
    live: () => sync.live,
  });
}
const askStats = startStats((stats) => placard.showStats(stats), sync);

/** Labels come with the first strokes. @type {import('./canvas/name-tags.js').NameTags | null} */
let tags = null;
const bringTags = once(async () => {
  await new Promise((done) => setTimeout(done, LATER_MS));
  const { NameTags } = await import('./canvas/name-tags.js');
  return (tags = new NameTags(byId('glass'), view.camera, names));
});
const tools = startTools({ view, state, names, clearTags: () => tags?.clear() });
const told = {
  keys: tools.keys,
  pick: (/** @type {{x: number, y: number}} */ spot) => withCard((card) => card.open(spot)),
  hover: (/** @type {{x: number, y: number} | null} */ spot) => tools.read(spot),
};
new CanvasInput(art, view, told);
new CanvasKeys(art, view, told);
view.moves.push(() => showZoom(view.camera), hash.save, () => tags?.replace());
view.strokes.push((rows) => void bringTags().then((found) => found.saw(rows), () => {}));
window.addEventListener('hashchange', () => { if (!inspect) restoreCard(); });

startTheme(byId('theme'));
startJoin();
const speak = once(() => import('./chat/composer.js').then(({ startComposer }) => startComposer(byId('pass'), viewer)));
byId('pass').addEventListener('toggle', () => void speak().catch(() => {}));
const tell = once(() => import('./chat/notify-form.js').then(({ fillTell }) => fillTell(byId('tell'), viewer)));
byId('tell').addEventListener('toggle', () => void tell().catch(missed));
showZoom(view.camera);
window.addEventListener('online', () => sync.resume());
startWake(() => sync.resume());
window.addEventListener('offline', () => sync.stream.fail());
// A page kept for the back button must not hold a stream; it takes up the thread when shown again.
window.addEventListener('pagehide', () => sync.stream.close());
window.addEventListener('pageshow', (event) => { if (event.persisted) sync.resume(); });
sync.start();
