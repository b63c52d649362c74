// The toolbar under the frame: zoom, lenses, following, sharing, full screen, help. Rarely used parts load on first use.

import { ZOOM_STEP } from './keyboard-input.js';
import { showPointerInfo } from './pointer-info.js';
import { archive } from '../shared/season.js';
import { byId } from '../shared/dom.js';
import { loadTools, once, reportLoadFailure } from '../shared/lazy-load.js';
import { placeAtButton } from '../shared/popover.js';
import { hashField } from '../shared/url-hash.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {import('../people/agent-names.js').AgentNames} Names */
/** @typedef {() => Promise<import('./heatmap-source.js').HeatmapSource>} LoadHeatmaps */
/** @typedef {{x: number, y: number}} Point */

// The largest image, in pixels per side, that the server renders.
const MAX_IMAGE_PIXELS = 16384;

/** @param {{view: CanvasView, state: CanvasState, names: Names, loadHeatmaps: LoadHeatmaps, clearNameTags: () => void}} parts */
export function startToolbar({ view, state, names, loadHeatmaps, clearNameTags }) {
  startZoom(view);
  startMinimap(view);
  const lenses = startLenses(view, state, names, loadHeatmaps);
  const follow = startFollow(view);
  const help = once(() => loadTools().then(({ Help }) => new Help()));
  const openHelp = () => void help().then((dialog) => dialog.open(), reportLoadFailure);
  byId('help').addEventListener('click', openHelp);
  startMoreTools();
  startFullScreen();
  startDownload(state);
  byId('share').addEventListener('click', () => void loadTools().then(({ shareView }) => shareView(view, state), reportLoadFailure));
  view.momentListeners.push(clearNameTags);
  /** @type {Record<string, () => void>} */ const keys = { '/': startSearch(view), '?': openHelp, ...(follow && { f: follow, F: follow }) };
  return {
    keys,
    handleReload: lenses.handleReload,
    /** @param {Point | null} point */
    showPointer: (point) => showPointerInfo(state, point, point ? lenses.describePixel(point) : undefined),
  };
}

/** @param {CanvasView} view */
function startZoom(view) {
  const press = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener('click', () => {
    view.takeControl();
    act();
  });
  press('zoom-in', () => view.zoomBy(ZOOM_STEP));
  press('zoom-out', () => view.zoomBy(1 / ZOOM_STEP));
  press('zoom-fit', () => view.fit());
}

/** @param {CanvasView} view */
function startMinimap(view) {
  const minimap = once(() => loadTools().then(({ Minimap }) => new Minimap(byId('layers'), view)));
  const loadIfZoomed = () => { if (!view.camera.isFitted) minimap().catch(() => {}); };
  view.moveListeners.push(loadIfZoomed);
  loadIfZoomed();
}

/**
 * @param {CanvasView} view
 * @param {CanvasState} state
 * @param {Names} names
 * @param {LoadHeatmaps} loadHeatmaps
 */
function startLenses(view, state, names, loadHeatmaps) {
  /** @type {import('./lenses.js').LensSelector | null} */ let ready = null;
  const lenses = once(async () => {
    const [{ LensSelector }, heatmaps] = await Promise.all([loadTools(), loadHeatmaps()]);
    return (ready = new LensSelector(view, state, names, heatmaps));
  });
  const select = /** @type {HTMLSelectElement} */ (byId('lens'));
  select.addEventListener('change', () => void lenses().then((found) => found.selectLens(), () => {
    select.value = 'paint';
    reportLoadFailure();
  }));
  view.highlightAgent = (id) => { if (id || ready) lenses().then((found) => found.highlightAgent(id), reportLoadFailure); };
  const readUrl = () => {
    const lens = hashField('lens') ?? 'paint';
    const isOther = lens !== select.value && !select.disabled && [...select.options].some(({ value }) => value === lens);
    if (isOther) select.value = lens;
    if (isOther && !hashField('agent')) void lenses().then((found) => found.selectLens(), reportLoadFailure);
    else view.highlightAgent(hashField('agent'));
  };
  window.addEventListener('hashchange', readUrl);
  let first = true;
  return {
    handleReload: () => {
      if (first) readUrl();
      else ready?.reload();
      first = false;
    },
    describePixel: (/** @type {Point} */ point) => ready?.describe(point),
  };
}

/** Starts following, which an ended season has not. @param {CanvasView} view */
function startFollow(view) {
  if (archive) return null;
  const follow = once(() => loadTools().then(({ Follow }) => new Follow(byId('follow'), view)));
  const toggle = () => void follow().then((found) => found.toggle(), reportLoadFailure);
  byId('follow').addEventListener('click', toggle);
  return toggle;
}

/**
 * Links the download to the shown moment, at the largest scale that the server renders for this canvas.
 * @param {CanvasState} state
 */
function startDownload(state) {
  const link = /** @type {HTMLAnchorElement} */ (byId('download'));
  const updateLink = () => {
    const scale = Math.max(1, Math.min(8, Math.floor(MAX_IMAGE_PIXELS / Math.max(state.width, state.height))));
    const seq = state.shownSeq ?? archive?.last;
    link.href = `/api/canvas.png?scale=${scale}${seq === undefined ? '' : `&at=${seq}`}`;
  };
  for (const kind of ['pointerdown', 'click', 'contextmenu']) link.addEventListener(kind, updateLink);
}

/** @param {CanvasView} view */
function startSearch(view) {
  const search = once(() => loadTools().then(({ Search }) => new Search(view)));
  const open = () => void search().then((dialog) => dialog.open(), reportLoadFailure);
  byId('search').addEventListener('click', open);
  return open;
}

/** Closes the menu before what was chosen in it acts, so that the focus is at its button again. */
function startMoreTools() {
  const menu = byId('more-tools');
  placeAtButton(menu, byId('more'));
  menu.addEventListener('click', () => menu.hidePopover(), true);
  // An item for a tool that a narrow toolbar hides presses the hidden button.
  for (const item of /** @type {NodeListOf<HTMLElement>} */ (menu.querySelectorAll('[data-tool]'))) {
    const tool = byId(item.dataset.tool ?? '');
    item.addEventListener('click', () => tool.click());
    menu.addEventListener('beforetoggle', () => item.setAttribute('aria-pressed', tool.getAttribute('aria-pressed') ?? 'false'));
  }
}

function startFullScreen() {
  const button = byId('fullscreen');
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener('click', () => {
    const done = document.fullscreenElement ? document.exitFullscreen() : byId('canvas-area').requestFullscreen();
    done.catch(() => {});
  });
}
