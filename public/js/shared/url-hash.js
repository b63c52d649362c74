// What is looked at, in the address (#x=64&y=20&z=12&agent=agent_…), so that it can be shared.

/** @typedef {import('../canvas/canvas-view.js').CanvasView} CanvasView */

const SETTLE_MS = 250;

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
 * @returns {Record<string, string>} empty when the whole canvas is in view
 */
function viewFields(camera) {
  if (camera.fitted) return {};
  return { x: String(Math.floor(camera.x)), y: String(Math.floor(camera.y)), z: String(+camera.cssCell.toFixed(2)) };
}

/**
 * The view comes first, so that one knows an address by its beginning; what others wrote stays.
 * @param {string} hash
 * @param {import('../canvas/camera.js').Camera} camera
 * @returns {string} empty when there is nothing to say
 */
function formatHash(hash, camera) {
  const fields = new URLSearchParams(viewFields(camera));
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (!['x', 'y', 'z', ''].includes(name)) fields.set(name, value);
  }
  const text = fields.toString();
  return text && `#${text}`;
}

/** What stands under a name in the address, or null. @param {string} name */
export function hashField(name) {
  return new URLSearchParams(location.hash.replace(/^#/, '')).get(name);
}

/**
 * Writes a name into the address, or takes it out.
 * @param {string} name
 * @param {string | null} value
 */
export function setHashField(name, value) {
  const fields = new URLSearchParams(location.hash.replace(/^#/, ''));
  if (value === null) fields.delete(name);
  else fields.set(name, value);
  replaceHash(fields.size ? `#${fields}` : '');
}

/** @param {string} hash */
function replaceHash(hash) {
  if (hash !== location.hash) history.replaceState(null, '', hash || location.pathname + location.search);
}

/**
 * @param {CanvasView} view
 * @returns {{restore: () => void, save: () => void}} restore once the canvas' size is known, save after every move
 */
export function startHash(view) {
  let timer = 0;
  let restored = false;
  const restore = () => {
    restored = true;
    const wanted = parseView(location.hash);
    if (wanted) view.jumpTo(wanted.x + 0.5, wanted.y + 0.5, wanted.z);
  };
  window.addEventListener('hashchange', restore);
  return {
    restore: () => { if (!restored) restore(); },
    save: () => {
      if (!restored) return;
      clearTimeout(timer);
      timer = setTimeout(() => replaceHash(formatHash(location.hash, view.camera)), SETTLE_MS);
    },
  };
}
