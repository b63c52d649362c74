// The view in the address (#x=64&y=20&z=12), so that a place on the canvas can be shared.

/** @typedef {import('./canvas-view.js').CanvasView} CanvasView */

const SETTLE_MS = 250;

/**
 * @param {string} hash
 * @returns {{x: number, y: number, z: number} | null}
 */
export function parseView(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  if (!fields.has('x') || !fields.has('y')) return null;
  const [x, y, z] = ['x', 'y', 'z'].map((name) => Number(fields.get(name) ?? 0));
  return [x, y, z].every(Number.isFinite) && z >= 0 ? { x, y, z } : null;
}

/**
 * @param {import('./camera.js').Camera} camera
 * @returns {string} empty when the whole canvas is in view
 */
export function formatView(camera) {
  if (camera.fitted) return '';
  return `#x=${Math.floor(camera.x)}&y=${Math.floor(camera.y)}&z=${+camera.cssCell.toFixed(2)}`;
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
  const write = () => {
    const hash = formatView(view.camera);
    if (hash !== location.hash) history.replaceState(null, '', hash || location.pathname + location.search);
  };
  window.addEventListener('hashchange', restore);
  return {
    restore: () => { if (!restored) restore(); },
    save: () => {
      if (!restored) return;
      clearTimeout(timer);
      timer = setTimeout(write, SETTLE_MS);
    },
  };
}
