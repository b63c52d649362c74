// Entry point of the canvas page: creates its parts and connects them.

import { CanvasState } from './canvas/canvas-state.js';
import { CanvasView } from './canvas/canvas-view.js';
import { KeyboardInput } from './canvas/keyboard-input.js';
import { showZoom } from './canvas/pointer-info.js';
import { PointerInput } from './canvas/pointer-input.js';
import { TitleCard } from './canvas/title-card.js';
import { startToolbar } from './canvas/toolbar.js';
import { startBottomSheet } from './chat/bottom-sheet.js';
import { Chat } from './chat/chat.js';
import { AgentNames } from './people/agent-names.js';
import { startJoin } from './people/join.js';
import { Painters } from './people/painters.js';
import { Viewer } from './people/viewer.js';
import { getRecentPixels } from './shared/api.js';
import { ConnectionStatus } from './shared/connection-status.js';
import { byId } from './shared/dom.js';
import { loadStylesheet, once, reportLoadFailure } from './shared/lazy-load.js';
import { seasonOf } from './shared/season.js';
import { startStats } from './shared/stats.js';
import { Sync } from './shared/sync.js';
import { startTheme } from './shared/theme.js';
import { hashField, startUrlHash } from './shared/url-hash.js';
import { startWatchdog } from './shared/watchdog.js';

/** @typedef {import('./canvas/canvas-view.js').Point} Point */
/** @typedef {import('./shared/types.js').Region} Region */

// Parts that the first view does not need do not compete with it.
const LATER_MS = 1000;
const PREFETCH_MS = 5000;
const VISIT_CELL = 12;
const MAX_VISIT_CELL = 32;
const VISIT_MARGIN = 8;

const canvas = /** @type {HTMLCanvasElement} */ (byId('pixels'));
const overlay = /** @type {HTMLCanvasElement} */ (byId('overlay'));
const state = new CanvasState();
const view = new CanvasView({ slot: byId('frame-slot'), frame: byId('frame'), canvas, overlay }, state);
const names = new AgentNames();
const titleCard = new TitleCard();
const urlHash = startUrlHash(view);
const sheet = startBottomSheet();

/** Shows a place on the canvas that the visitor asked for. */
function showPlace(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ cell) {
  view.takeControl();
  view.elements.frame.scrollIntoView({ block: 'nearest' });
  view.animateTo(x, y, cell);
}

const showPixel = (/** @type {number} */ x, /** @type {number} */ y) => showPlace(x + 0.5, y + 0.5, Math.max(VISIT_CELL, view.camera.cssCell));

/** Shows all of these regions at once. @param {Region[]} regions */
function showRegions(regions) {
  sheet.close();
  const [x1, y1] = [Math.min(...regions.map((region) => region.x1)), Math.min(...regions.map((region) => region.y1))];
  const [width, height] = [Math.max(...regions.map(({ x2 }) => x2)) - x1 + 1, Math.max(...regions.map(({ y2 }) => y2)) - y1 + 1];
  const cell = Math.min(canvas.clientWidth / (width + VISIT_MARGIN), canvas.clientHeight / (height + VISIT_MARGIN));
  showPlace(x1 + width / 2, y1 + height / 2, Math.min(MAX_VISIT_CELL, cell));
}

const painters = new Painters(byId('painters'), names, showPixel);
const viewer = new Viewer();
const regionActions = { outline: (/** @type {Region[]} */ regions) => view.outlineRegions(regions), visit: showRegions };
const openAgent = (/** @type {string} */ id) => withInspector((inspector) => inspector.openAgent(id));
const chat = new Chat({ state, regionActions, names, viewer, openAgent });
/** Loaded when first used. @type {import('./canvas/inspector.js').Inspector | null} */
let inspector = null;
const loadInspector = once(async () => {
  const [{ Inspector }] = await Promise.all([import('./canvas/inspector.js'), loadStylesheet('/css/inspect.css')]);
  return (inspector = new Inspector(byId('inspect'), state, {
    view,
    regionActions,
    announce: (text) => { byId('announcement').textContent = text; },
    showMessage: (id) => void chat.showMessage(id),
    closeSheet: () => sheet.close(),
  }));
});
const withInspector = (/** @type {(inspector: import('./canvas/inspector.js').Inspector) => void} */ act) => void loadInspector().then(act, reportLoadFailure);
/** Opens the card of the pixel in the URL, as a copied link does. */
const restoreCard = () => { if (hashField('pixel') && !inspector?.card.isOpen) withInspector((loaded) => loaded.restore()); };

const sync = new Sync({
  showCanvas: (body) => {
    state.load(body);
    view.reload();
    titleCard.showCanvas(body);
    urlHash.restore();
    season = seasonOf(body.season).id;
    startTimeBar();
    toolbar.handleReload();
    restoreCard();
    inspector?.refresh();
    updateStats();
    getRecentPixels().then(({ pixels }) => painters.load(pixels), () => {});
  },
  showChat: (page) => {
    chat.showLatest(page);
    if (new URLSearchParams(location.search).has('message')) void import('./chat/deep-link.js').then(({ openLinkedMessage }) => openLinkedMessage(chat), reportLoadFailure);
  },
  mergeChat: (page) => chat.mergeLatest(page),
  showChatError: (code) => chat.showError(code),
  setChatEnabled: (isEnabled) => chat.setEnabled(isEnabled),
  handleEvent: (kind, data) => {
    inspector?.handleChatEvent(kind, data);
    if (kind !== 'pixels') return chat.handleEvent(kind, data);
    view.applyLive(data);
    if (state.shownSeq !== null) void timeBar?.then((bar) => bar?.countMissed(data.length));
    titleCard.addPlacements(data);
    painters.addPlacements(data);
    inspector?.handlePlacements(data);
  },
  showSeason: (season) => titleCard.showSeason(season),
  showWatching: (spectators) => titleCard.showWatching(spectators),
  showConnection: (connection) => {
    status.show(connection);
    if (connection === 'down') titleCard.clearWatching();
    if (connection === 'live') handleLive();
  },
});
const status = new ConnectionStatus(() => sync.resume());
let season = '';
/** @type {Promise<import('./time/time-bar.js').TimeBar | null> | null} */
let timeBar = null;
function startTimeBar() {
  timeBar ??= loadTimeBar().catch(() => (timeBar = null));
  void timeBar.then((bar) => bar?.start(season));
}

/** Repeats what may have failed while the server did not answer, and prefetches the rest. */
function handleLive() {
  inspector?.refresh();
  startTimeBar();
  if (viewer.hasSignedIn) setTimeout(() => void loadSignedIn().catch(() => {}), LATER_MS);
  setTimeout(() => void import('./shared/prefetch.js').catch(() => {}), PREFETCH_MS);
}

/** Loads the time bar after the live canvas is shown, unless the URL names a past moment; its place is reserved. */
async function loadTimeBar() {
  if (!location.hash.includes('at=')) await new Promise((done) => setTimeout(done, LATER_MS));
  const { TimeBar } = await import('./time/time-bar.js');
  return new TimeBar({
    pastView: { view, state, chat, head: () => sync.stream.lastSeq ?? 0 },
    showPast: (time) => {
      status.setPast(true);
      titleCard.showPast(time);
    },
    showPresent: () => {
      status.setPast(false);
      titleCard.showPresent();
    },
    setTimeScale: (scale) => titleCard.setTimeScale(scale),
    isLive: () => sync.isLive,
  });
}
const updateStats = startStats((stats) => titleCard.showStats(stats), sync);

/** Loaded with the first placements. @type {import('./canvas/name-tags.js').NameTags | null} */
let nameTags = null;
const loadNameTags = once(async () => {
  await new Promise((done) => setTimeout(done, LATER_MS));
  const { NameTags } = await import('./canvas/name-tags.js');
  return (nameTags = new NameTags(byId('layers'), view.camera, names));
});
const toolbar = startToolbar({ view, state, names, clearNameTags: () => nameTags?.clear() });
const inputHandlers = {
  keys: toolbar.keys,
  pick: (/** @type {Point} */ point) => withInspector((loaded) => loaded.open(point)),
  hover: (/** @type {Point | null} */ point) => toolbar.showPointer(point),
};
new PointerInput(canvas, view, inputHandlers);
new KeyboardInput(canvas, view, inputHandlers);
view.moveListeners.push(() => showZoom(view.camera), urlHash.save, () => nameTags?.reposition());
view.placementListeners.push((rows) => void loadNameTags().then((loaded) => loaded.addPlacements(rows), () => {}));
window.addEventListener('hashchange', () => { if (!inspector) restoreCard(); });

startTheme(byId('theme'));
startJoin();
const loadSignedIn = once(() => import('./people/signed-in.js').then(({ startSignedIn }) => startSignedIn(byId('pass'), chat)));
byId('pass').addEventListener('toggle', () => void loadSignedIn().catch(() => {}));
const loadNotifyForm = once(() => import('./chat/notify-form.js').then(({ renderNotifyForm }) => renderNotifyForm(byId('notify'), viewer)));
byId('notify').addEventListener('toggle', () => void loadNotifyForm().catch(reportLoadFailure));
showZoom(view.camera);
window.addEventListener('online', () => sync.resume());
startWatchdog(() => sync.resume());
window.addEventListener('offline', () => sync.stream.fail());
// A page in the back-forward cache must not hold a stream; it resumes when it is shown again.
window.addEventListener('pagehide', () => sync.stream.close());
window.addEventListener('pageshow', (event) => { if (event.persisted) sync.resume(); });
sync.start();
