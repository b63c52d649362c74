// Turns an image file into a picture: at most 64 cells wide and high, each with the nearest colour of the palette.

import { MAX_SIDE } from './drawing.js';
import { ANY_COLOR } from './picture.js';

/** More transparent pixels are left as they are. */
const MIN_ALPHA = 128;

/**
 * @param {Blob} file
 * @param {import('../shared/types.js').Color[]} palette
 * @param {{width: number, height: number}} limit
 * @returns {Promise<import('./drawing.js').Picture>}
 */
export async function readImage(file, palette, limit) {
  const bitmap = await createImageBitmap(file);
  const most = { width: Math.min(MAX_SIDE, limit.width), height: Math.min(MAX_SIDE, limit.height) };
  const scale = Math.min(1, most.width / bitmap.width, most.height / bitmap.height);
  const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)));
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('this browser cannot draw');
  context.drawImage(bitmap, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const colors = palette.map(({ index, hex }) => ({ index, rgb: [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) }));
  const cells = new Uint8Array(width * height).map((_, at) => {
    const [red, green, blue, alpha] = data.subarray(at * 4, at * 4 + 4);
    return alpha < MIN_ALPHA ? ANY_COLOR : nearestColor([red, green, blue], colors);
  });
  return { width, height, cells };
}

/**
 * @param {number[]} rgb
 * @param {{index: number, rgb: number[]}[]} colors
 */
function nearestColor(rgb, colors) {
  let nearest = { index: 0, distance: Infinity };
  for (const color of colors) {
    const distance = colorDistance(rgb, color.rgb);
    if (distance < nearest.distance) nearest = { index: color.index, distance };
  }
  return nearest.index;
}

/**
 * Returns the squared distance of two colours, weighted by the eye's sensitivity (the "redmean" formula).
 * @param {number[]} one
 * @param {number[]} other
 */
function colorDistance([red, green, blue], [otherRed, otherGreen, otherBlue]) {
  const mean = (red + otherRed) / 2;
  const [dr, dg, db] = [red - otherRed, green - otherGreen, blue - otherBlue];
  return (2 + mean / 256) * dr * dr + 4 * dg * dg + (2 + (255 - mean) / 256) * db * db;
}
