// What the tests ask an open page: put before every script that they run in it.

const one = (selector) => document.querySelector(selector);
const shown = (selector) => !!one(selector) && one(selector).getClientRects().length > 0;
const text = (selector) => one(selector)?.textContent ?? '';
const live = () => one('#status')?.dataset.state === 'live';
// Also the numbers, which nobody waits for otherwise.
const loaded = () => live() && text('#season-title').trim() !== '' && text('#fact-pixels') !== '–';
const focused = () => document.activeElement?.id || document.activeElement?.className || '';

// Elements and lines of text that leave the screen's width, where a clipped box would hide the loss.
const outside = (selector) => [...document.querySelectorAll(selector)].filter((node) => {
  const words = document.createRange();
  words.selectNodeContents(node);
  const boxes = [node.getBoundingClientRect(), ...(node.matches('.msg-body') ? [words.getBoundingClientRect()] : [])];
  return boxes.some(({ left, right }) => left < 0 || right > innerWidth);
}).map((node) => node.outerHTML.slice(0, 200));

// What is really painted, cell by cell, as the server writes it: one hex digit per pixel, one string per row.
const rows = ({ width, height, palette }) => {
  const art = one('#art');
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
