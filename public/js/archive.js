// Entry point of the page of an ended season: its canvas, chat and time bar, without a live stream.

import { ArchiveStatus } from './canvas/archive-status.js';
import { CanvasState } from './canvas/canvas-state.js';
import { CanvasView } from './canvas/canvas-view.js';
import { KeyboardInput } from './canvas/keyboard-input.js';
import { showZoom } from './canvas/pointer-info.js';
import { PointerInput } from './canvas/pointer-input.js';
import { startToolbar } from './canvas/toolbar.js';
import { startBottomSheet } from './chat/bottom-sheet.js';
import { Chat } from './chat/chat.js';
import { AgentNames } from './people/agent-names.js';
import { Viewer } from './people/viewer.js';
import { getCanvas, getChat } from './shared/api.js';
import { archive } from './shared/archive.js';
import { byId } from './shared/dom.js';
import { loadStylesheet, once, reportLoadFailure } from './shared/lazy-load.js';
import { seasonOf } from './shared/season.js';
import { startTheme } from './shared/theme.js';
import { hashField, startUrlHash } from './shared/url-hash.js';

/** @typedef {import('./canvas/canvas-view.js').Point} Point */
/** @typedef {import('./canvas/inspector.js').Inspector} Inspector */
/** @typedef {import('./shared/types.js').Region} Region */

const LATER_MS = 1000;
const VISIT_MARGIN = 8;
const MAX_VISIT_CELL = 32;

const canvas = /** @type {HTMLCanvasElement} */ (byId('pixels'));
const overlay = /** @type {HTMLCanvasElement} */ (byId('overlay'));
const state = new CanvasState();
const view = new CanvasView({ slot: byId('frame-slot'), frame: byId('frame'), canvas, overlay }, state);
const names = new AgentNames();
const urlHash = startUrlHash(view);
const sheet = startBottomSheet();

/** Shows all of these regions at once. @param {Region[]} regions */
function showRegions(regions) {
  sheet.close();
  const [x1, y1] = [Math.min(...regions.map((region) => region.x1)), Math.min(...regions.map((region) => region.y1))];
  const [width, height] = [Math.max(...regions.map(({ x2 }) => x2)) - x1 + 1, Math.max(...regions.map(({ y2 }) => y2)) - y1 + 1];
  const cell = Math.min(canvas.clientWidth / (width + VISIT_MARGIN), canvas.clientHeight / (height + VISIT_MARGIN), MAX_VISIT_CELL);
  view.takeControl();
  view.elements.frame.scrollIntoView({ block: 'nearest' });
  view.animateTo(x1 + width / 2, y1 + height / 2, cell);
}

const regionActions = { outline: (/** @type {Region[]} */ regions) => view.outlineRegions(regions), visit: showRegions };
const openAgent = (/** @type {string} */ id) => withInspector((inspector) => inspector.openAgent(id));
const chat = new Chat({ state, regionActions, names, viewer: new Viewer(), openAgent });
/** Loaded when first used. @type {Inspector | null} */
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
const withInspector = (/** @type {(inspector: Inspector) => void} */ act) => void loadInspector().then(act, reportLoadFailure);
/** Opens the card of the pixel in the URL, as a copied link does. */
const restoreCard = () => { if (hashField('pixel') && !inspector?.card.isOpen) withInspector((loaded) => loaded.restore()); };

/** Loaded with the first placements of a playback. @type {import('./canvas/name-tags.js').NameTags | null} */
let nameTags = null;
const loadNameTags = once(async () => {
  const { NameTags } = await import('./canvas/name-tags.js');
  return (nameTags = new NameTags(byId('layers'), view.camera, names));
});
const toolbar = startToolbar({ view, state, names, clearNameTags: () => nameTags?.clear() });
const inputHandlers = {
  keys: toolbar.keys,
  pick: (/** @type {Point} */ point) => withInspector((loaded) => loaded.open(point)),
  hover: (/** @type {Point | null} */ point) => toolbar.showPointer(point),
};
const status = new ArchiveStatus(() => void load());

/** Loads the time bar after the canvas is shown, unless the URL names a past moment; its place is reserved. */
const loadTimeBar = once(async () => {
  if (!location.hash.includes('at=')) await new Promise((done) => setTimeout(done, LATER_MS));
  const { TimeBar } = await import('./time/time-bar.js');
  return new TimeBar({
    pastView: { view, state, chat, head: () => archive?.last ?? 0 },
    showPast: (time) => status.showPast(time),
    showPresent: () => status.showEnd(),
    setTimeScale: (scale) => status.setTimeScale(scale),
    isLive: () => false,
  });
});

/** Loads the end of the season; again after a failure. */
async function load() {
  const messages = loadChat();
  try {
    const body = await getCanvas();
    state.load(body);
    view.reload();
    urlHash.restore();
    status.showLoaded();
    toolbar.handleReload();
    restoreCard();
    void loadTimeBar().then((bar) => bar.start(seasonOf(body.season).id), reportLoadFailure);
  } catch {
    status.showFailure();
  }
  await messages;
  const wanted = new URLSearchParams(location.search).get('message');
  if (wanted) void chat.showMessage(wanted);
}

/** Shows the last messages of the season. */
async function loadChat() {
  const page = await getChat().catch((error) => error);
  if (page instanceof Error) chat.showError('code' in page ? String(page.code) : 'unknown');
  else chat.showLatest(page);
}

new PointerInput(canvas, view, inputHandlers);
new KeyboardInput(canvas, view, inputHandlers);
view.moveListeners.push(() => showZoom(view.camera), urlHash.save, () => nameTags?.reposition());
view.placementListeners.push((rows) => void loadNameTags().then((loaded) => loaded.addPlacements(rows), () => {}));
window.addEventListener('hashchange', () => { if (!inspector) restoreCard(); });
startTheme(byId('theme'));
showZoom(view.camera);
void load();
