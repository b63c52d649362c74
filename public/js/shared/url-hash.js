// The view in the URL hash (#x=64&y=20&z=12&at=1234&lens=age&agent=agent_…), so that links can share it.

/** @typedef {import('../canvas/canvas-view.js').CanvasView} CanvasView */

const SAVE_DELAY_MS = 250;

/** The last hash that was read or written here. */
let known = location.hash;

/**
 * @param {string} hash
 * @returns {{x: number, y: number, z: number} | null}
 */
function parseView(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  if (!fields.has('x') || !fields.has('y')) return null;
  const [x, y, z] = ['x', 'y', 'z'].map((name) => Number(fields.get(name) ?? 0));
  return [x, y, z].every(Number.isFinite) && z >= 0 ? { x, y, z } : null;
}

/**
 * @param {import('../canvas/camera.js').Camera} camera
 * @returns {Record<string, string>} empty if the whole canvas is visible
 */
function viewFields(camera) {
  if (camera.isFitted) return {};
  return { x: String(Math.floor(camera.x)), y: String(Math.floor(camera.y)), z: String(+camera.cssCell.toFixed(2)) };
}

/**
 * Formats the hash with the view first; fields of other modules stay.
 * @param {string} hash
 * @param {import('../canvas/camera.js').Camera} camera
 * @returns {string} empty if there are no fields
 */
function formatHash(hash, camera) {
  const fields = new URLSearchParams(viewFields(camera));
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (!['x', 'y', 'z', ''].includes(name)) fields.set(name, value);
  }
  return formatFields(fields);
}

/**
 * Formats fields as a hash, in which a comma stays readable.
 * @param {URLSearchParams} fields
 * @returns {string} empty if there are no fields
 */
function formatFields(fields) {
  return fields.size ? `#${fields.toString().replaceAll('%2C', ',')}` : '';
}

/** Returns the fields of a pixel, whose card a link opens. @param {{x: number, y: number}} point */
export const pixelFields = ({ x, y }) => ({ pixel: `${x}.${y}` });

/**
 * Returns the fields of a pixel that the view of a link shows at least this large, too.
 * @param {{x: number, y: number}} point
 * @param {import('../canvas/camera.js').Camera} camera
 * @param {number} leastCell the width of a pixel of the canvas in CSS pixels
 */
export const pixelViewFields = ({ x, y }, { cssCell }, leastCell) => (
  { x: String(x), y: String(y), z: String(+Math.max(leastCell, cssCell).toFixed(2)), ...pixelFields({ x, y }) });

/**
 * Returns a link to all that is shown: the view, the moment and the other fields of the URL.
 * @param {import('../canvas/camera.js').Camera} camera
 * @param {Record<string, string | null>} fields these replace or join the ones of the URL; `null` removes one
 * @param {number | null} [shownSeq] the newest event of the shown moment, which the URL names only after a while; `null` for now
 */
export function shownLink(camera, fields, shownSeq = null) {
  const all = new URLSearchParams(formatHash(location.hash, camera).slice(1));
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  if (shownSeq !== null) all.set('at', String(shownSeq));
  return location.origin + location.pathname + formatFields(all);
}

/** Returns a field of the URL hash, or `null`. @param {string} name */
export function hashField(name) {
  return new URLSearchParams(location.hash.replace(/^#/, '')).get(name);
}

/**
 * Sets a field of the URL hash; `null` removes it.
 * @param {string} name
 * @param {string | null} value
 */
export function setHashField(name, value) {
  const fields = new URLSearchParams(location.hash.replace(/^#/, ''));
  if (fields.get(name) === value) return;
  if (value === null) fields.delete(name);
  else fields.set(name, value);
  replaceHash(formatFields(fields));
}

/**
 * Adds an entry to the browser's history in which a field of the URL hash is set: Back returns to the hash before.
 * @param {string} name
 * @param {string} value
 */
export function pushHashField(name, value) {
  const isKnown = location.hash === known;
  const fields = new URLSearchParams(location.hash.replace(/^#/, ''));
  fields.set(name, value);
  history.replaceState({ ...history.state, keepsHash: true }, '');
  history.pushState(null, '', formatFields(fields));
  if (isKnown) known = location.hash;
}

/**
 * Writes the hash of the page into the entry of the browser's history that Back or Forward led to: it moves the visitor, not the
 * view. An entry under one of `pushHashField` keeps its own.
 */
export function carryHash() {
  if (!history.state?.keepsHash) replaceHash(known);
}

/** @param {string} hash */
function replaceHash(hash) {
  // A hash that was just entered stays unknown until its event has restored its view.
  const isKnown = location.hash === known;
  if (hash !== location.hash) history.replaceState(history.state, '', hash || location.pathname + location.search);
  if (isKnown || hash === known) known = location.hash;
}

/**
 * @param {CanvasView} view
 * @returns {{restore: () => void, save: () => void}} `restore` once the canvas's size is known, `save` after every move
 */
export function startUrlHash(view) {
  let timer = 0;
  let restored = false;
  /** A hash whose event had not come. */ let entered = known;
  const restore = () => {
    restored = true;
    known = location.hash;
    const saved = parseView(location.hash);
    if (saved) view.jumpTo(saved.x + 0.5, saved.y + 0.5, saved.z);
  };
  const write = () => {
    // A hash that was just entered is not overwritten before its event has restored its view.
    if (location.hash === known) return replaceHash(formatHash(known, view.camera));
    // Its event has come by the second time, unless another module has written it.
    if (location.hash === entered) known = entered;
    entered = location.hash;
    timer = setTimeout(write, SAVE_DELAY_MS);
  };
  window.addEventListener('hashchange', () => { if (location.hash !== known) restore(); });
  return {
    restore: () => { if (!restored) restore(); },
    save: () => {
      if (!restored) return;
      clearTimeout(timer);
      timer = setTimeout(write, SAVE_DELAY_MS);
    },
  };
}
