// Draws a part of the canvas, as it is shown, as a picture with large square pixels.

import { get2dContext } from './paint-layer.js';
import { heightOf, widthOf } from './region.js';

/** @typedef {import('./canvas-state.js').CanvasState} CanvasState */
/** @typedef {import('../shared/types.js').Region} Region */

// The picture's longer side has about as many pixels as this, however small the rectangle is.
const PICTURE_SIDE = 1024;
const MAX_SCALE = 32;
// The address of a file must live until the browser has read it.
const ADDRESS_MS = 60000;

/**
 * Draws a rectangle of the shown canvas.
 * @param {CanvasState} state
 * @param {Region} region
 * @param {number} side the wanted length of the longer side; each pixel of the canvas has whole pixels of the picture
 */
export function drawRegion({ cells, width: columns, paletteColors }, region, side = PICTURE_SIDE) {
  const [width, height] = [widthOf(region), heightOf(region)];
  const scale = Math.max(1, Math.min(MAX_SCALE, Math.floor(side / Math.max(width, height))));
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let y = 0; y < height; y++) {
    const start = (region.y1 + y) * columns + region.x1;
    for (let x = 0; x < width; x++) pixels[y * width + x] = paletteColors[cells[start + x]];
  }
  const source = document.createElement('canvas');
  Object.assign(source, { width, height });
  get2dContext(source).putImageData(image, 0, 0);
  const picture = document.createElement('canvas');
  Object.assign(picture, { width: width * scale, height: height * scale });
  const context = get2dContext(picture);
  context.imageSmoothingEnabled = false;
  context.drawImage(source, 0, 0, picture.width, picture.height);
  return picture;
}

/**
 * Saves a rectangle of the shown canvas as a PNG.
 * @param {CanvasState} state
 * @param {Region} region
 * @returns {Promise<boolean>} whether it worked
 */
export async function savePicture(state, region) {
  const { x1, y1, x2, y2 } = region;
  /** @type {Blob | null} */ const file = await new Promise((done) => drawRegion(state, region).toBlob(done));
  if (!file) return false;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `caraplace-${x1}-${y1}-${x2}-${y2}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_MS);
  return true;
}
