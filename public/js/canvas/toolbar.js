// The row under the frame: zoom, other ways to look, following, full screen, help. What is rarely used loads when asked for.

import { ZOOM_STEP } from './keyboard-input.js';
import { byId } from '../shared/dom.js';
import { hashField } from '../shared/url-hash.js';
import { missed, once } from '../shared/lazy-load.js';
import { showReading } from './pointer-info.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */
/** @typedef {import('../people/agent-names.js').Names} Names */
/** @typedef {{x: number, y: number}} Spot */

// The most image pixels that the server gives each way.
const LONGEST_PICTURE = 16384;

/** @param {{view: CanvasView, state: CanvasState, names: Names, clearTags: () => void}} room */
export function startTools({ view, state, names, clearTags }) {
  startZoom(view);
  startMinimap(view);
  const looks = startLooks(view, state, names);
  const follow = startFollow(view);
  const help = once(() => import('./help.js').then(({ Help }) => new Help()));
  const openHelp = () => void help().then((dialog) => dialog.open(), missed);
  byId('help').addEventListener('click', openHelp);
  startFullScreen();
  startDownload(state);
  view.shows.push(clearTags);
  return {
    keys: { f: follow, F: follow, '?': openHelp },
    reloaded: looks.reloaded,
    /** @param {Spot | null} spot */
    read: (spot) => showReading(state, spot, spot ? looks.say(spot) : undefined),
  };
}

/** @param {CanvasView} view */
function startZoom(view) {
  const press = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener('click', () => {
    view.hold();
    act();
  });
  press('zoom-in', () => view.zoomBy(ZOOM_STEP));
  press('zoom-out', () => view.zoomBy(1 / ZOOM_STEP));
  press('zoom-fit', () => view.fit());
}

/** @param {CanvasView} view */
function startMinimap(view) {
  const minimap = once(() => import('./minimap.js').then(({ Minimap }) => new Minimap(byId('glass'), view)));
  const look = () => { if (!view.camera.fitted) minimap().catch(() => {}); };
  view.moves.push(look);
  look();
}

/**
 * @param {CanvasView} view
 * @param {CanvasState} state
 * @param {Names} names
 */
function startLooks(view, state, names) {
  /** @type {import('./lenses.js').Looks | null} */ let ready = null;
  const looks = once(async () => {
    const { Looks } = await import('./lenses.js');
    return (ready = new Looks(view, state, names));
  });
  const select = /** @type {HTMLSelectElement} */ (byId('look'));
  select.addEventListener('change', () => void looks().then((found) => found.chosen(), () => {
    select.value = 'paint';
    missed();
  }));
  view.light = (id) => { if (id || ready) looks().then((found) => found.light(id), missed); };
  const fromAddress = () => view.light(hashField('agent'));
  window.addEventListener('hashchange', fromAddress);
  let first = true;
  return {
    reloaded: () => {
      if (first) fromAddress();
      else ready?.renew();
      first = false;
    },
    say: (/** @type {Spot} */ spot) => ready?.say(spot),
  };
}

/** @param {CanvasView} view */
function startFollow(view) {
  const follow = once(() => import('./follow.js').then(({ Follow }) => new Follow(byId('follow'), view)));
  const toggle = () => void follow().then((found) => found.toggle(), missed);
  byId('follow').addEventListener('click', toggle);
  return toggle;
}

/**
 * The picture of what is shown, as large as the server makes one of a canvas of this size.
 * @param {CanvasState} state
 */
function startDownload(state) {
  const link = /** @type {HTMLAnchorElement} */ (byId('download'));
  const aim = () => {
    const scale = Math.max(1, Math.min(8, Math.floor(LONGEST_PICTURE / Math.max(state.width, state.height))));
    link.href = `/api/canvas.png?scale=${scale}${state.moment === null ? '' : `&at=${state.moment}`}`;
  };
  for (const kind of ['pointerdown', 'click', 'contextmenu']) link.addEventListener(kind, aim);
}

function startFullScreen() {
  const button = byId('fullscreen');
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener('click', () => {
    const done = document.fullscreenElement ? document.exitFullscreen() : byId('stage').requestFullscreen();
    done.catch(() => {});
  });
}
