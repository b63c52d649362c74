// Helper functions of the tests, put before every script that they run in a page.

const one = (selector) => document.querySelector(selector);
const shown = (selector) => !!one(selector) && one(selector).getClientRects().length > 0;
const text = (selector) => one(selector)?.textContent ?? '';
const live = () => one('#status')?.dataset.state === 'live';
// Includes the numbers and the painters, which load last; the embedded canvas has neither.
const loaded = () => ['live', 'past', 'ended'].includes(one('#status')?.dataset.state) && (!one('#painters') || (one('#painters li') && text('#season-title').trim() && text('#fact-pixels') !== '–'));
const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
const choose = (selector, value) => { one(selector).value = value; one(selector).dispatchEvent(new Event('change', { bubbles: true })); };
const focused = () => document.activeElement?.id || document.activeElement?.className || '';

// The width of the screen; `innerWidth` grows with content that is wider than a phone. WCAG asks for 320 pixels, and for
// letters of twice the size, but not for both together: there, a phone may zoom out.
const hasLargeLetters = () => parseFloat(getComputedStyle(document.documentElement).fontSize) > 24;
const screenWidth = () => (hasLargeLetters() ? innerWidth : document.documentElement.clientWidth);

// Elements and lines of text beyond the screen's width, even if a clipped box hides them.
const outside = (selector) => [...document.querySelectorAll(selector)].filter((node) => {
  const words = document.createRange();
  words.selectNodeContents(node);
  const boxes = [node.getBoundingClientRect(), ...(node.matches('.msg-body') ? [words.getBoundingClientRect()] : [])];
  return boxes.some(({ left, right }) => left < 0 || right > screenWidth());
}).map((node) => node.outerHTML.slice(0, 200));

// The painted cells in the server's notation: one hex digit per pixel, one string per row.
const rows = ({ width, height, palette }) => {
  const art = one('#pixels');
  if (!art.width) return [];
  const { data } = art.getContext('2d', { willReadFrequently: true }).getImageData(0, 0, art.width, art.height);
  const digits = new Map(palette.map(({ index, hex }) => [parseInt(hex.slice(1, 7), 16), index.toString(16)]));
  const cell = (x, y) => {
    const [left, top] = [Math.floor((x + 0.5) * art.width / width), Math.floor((y + 0.5) * art.height / height)];
    const at = (top * art.width + left) * 4;
    return digits.get((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]) ?? '?';
  };
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => cell(x, y)).join(''));
};
const same = (canvas) => rows(canvas).join() === canvas.rows.join();

// The visible controls.
const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
const visible = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const controls = () => [...document.querySelectorAll(CONTROLS)].filter((node) => visible(node) && !node.disabled);
const describe = (node) => `${node.outerHTML.slice(0, 120)}`;
const reachable = (node) => {
  const { left, top, width, height } = node.getClientRects()[0];
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return !!hit && (node.contains(hit) || hit.contains(node) || !!node.labels?.[0]?.contains(hit));
};

// Layout problems on a screen of this size: content outside, cut or covered, or too small to touch.
const misfits = () => {
  const found = [];
  if (document.documentElement.scrollWidth > screenWidth()) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const node of controls().filter((node) => !node.matches('.skip, [tabindex="0"]:not(button, a)'))) {
    node.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    const { left, right, width, height } = node.getBoundingClientRect();
    if (left < -1 || right > screenWidth() + 1) found.push(`out of sight: ${describe(node)}`);
    else if (!reachable(node)) found.push(`covered: ${describe(node)}`);
    const least = node.matches('button:not(.plain), .painters :is(button, a), .painter-list button, .tool-menu > *, summary, input, select, textarea') ? 44 : 0;
    if (matchMedia('(pointer: coarse)').matches && (width < least || height < least)) found.push(`${width} × ${height}: ${describe(node)}`);
  }
  return [...new Set([...found, ...cut()])];
};

// Text that a box cuts without an ellipsis.
const cut = () => [...document.querySelectorAll('body *')].filter((node) => {
  const { overflowX, overflowY, textOverflow, clipPath } = getComputedStyle(node);
  if (!visible(node) || clipPath !== 'none' || textOverflow === 'ellipsis' || !node.innerText?.trim()) return false;
  const hides = (overflow) => overflow === 'hidden' || overflow === 'clip';
  return (hides(overflowX) && node.scrollWidth > node.clientWidth + 1) || (hides(overflowY) && node.scrollHeight > node.clientHeight + 1);
}).map((node) => `cut: ${describe(node)}`);

// True if the keyboard focus is visible.
const ringed = (node) => {
  node.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { outlineStyle, outlineWidth } = getComputedStyle(node);
  return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && reachable(node);
};

// Numbers the Tab stops and records where the focus goes: [number, seen, what].
const startWalk = () => {
  // Tab comes to the chosen button of a radio group only.
  const stops = controls().filter((node) => node.tabIndex >= 0 && (node.type !== 'radio' || node.checked));
  window.walked = [];
  document.addEventListener('focusin', ({ target }) => window.walked.push([stops.indexOf(target), ringed(target), describe(target)]));
  return stops.map(describe);
};
// The messages as the chat shows them.
const lines = () => [...document.querySelectorAll('.msg-body')].map((body) => body.textContent).join();
