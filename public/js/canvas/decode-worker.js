// Entry point of the worker that decodes large canvases and computes the colours of their cells.

import { paintCells, readCells, toPaletteColors } from './canvas-state.js';

addEventListener('message', ({ data: body }) => {
  const cells = readCells(body);
  const pixels = new Uint32Array(cells.length);
  paintCells(pixels, cells, toPaletteColors(body.palette));
  postMessage({ cells, pixels }, { transfer: [cells.buffer, pixels.buffer] });
});
