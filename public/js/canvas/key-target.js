// Decides whether a key belongs to the canvas, or to the browser, a field, a dialog or another part that uses it.

const STORAGE_KEY = 'caraplace-keys';
const FIELDS = 'input:not([type="range"]), textarea, select, [contenteditable]';
// These parts scroll, or move from item to item, with the arrows. Enter in them is not for the canvas either.
const ARROW_USERS = 'input[type="range"], .chat, .guide, .canvas-card, [popover]';
const PRESSED = 'a[href], button, summary';

/** Returns whether the keys of the canvas work while another part of the page has the focus. */
export function hasKeysEverywhere() {
  try {
    return localStorage.getItem(STORAGE_KEY) !== 'canvas';
  } catch {
    return true;
  }
}

/** Sets whether the keys of the canvas work everywhere, also at the next visit. @param {boolean} isOn */
export function setKeysEverywhere(isOn) {
  try {
    if (isOn) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, 'canvas');
  } catch { /* private windows keep nothing */ }
}

/**
 * Returns whether a key is not for the canvas.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} canvas
 */
export function isKeyTaken(event, canvas) {
  const { key, target } = event;
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (target === canvas) return false;
  if (!(target instanceof Element) || !hasKeysEverywhere() || target.closest(FIELDS) || document.querySelector('dialog[open]')) return true;
  if (key.startsWith('Arrow')) return target.closest(ARROW_USERS) !== null || !isInView(canvas);
  // A space scrolls the page.
  return key === ' ' || (key === 'Enter' && target.closest(`${PRESSED}, ${ARROW_USERS}`) !== null);
}

/** Returns whether the middle of an element is in view: further down a page, the arrows scroll. @param {HTMLElement} node */
function isInView(node) {
  const { top, bottom } = node.getBoundingClientRect();
  const middle = (top + bottom) / 2;
  return middle > 0 && middle < innerHeight;
}
