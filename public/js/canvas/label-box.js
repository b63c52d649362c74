// The place of a label beside a region of the canvas.

import { isSeen, toBox } from './overlay.js';

const GAP_CSS_PX = 6;
const EDGE_CSS_PX = 2;

/**
 * Returns the box of a label in CSS pixels: above its region, so that the next cells stay visible, or below it.
 * @param {import('./camera.js').Camera} camera
 * @param {import('../shared/types.js').Region} region
 * @param {number} width of the label
 * @param {number} height
 * @returns {DOMRect | null} `null` if the region is out of sight
 */
export function placeLabel(camera, region, width, height) {
  const box = toBox(camera, region);
  if (!isSeen(camera, box)) return null;
  const { cssCell: cell, dpr } = camera;
  const [across, down] = [camera.viewWidth / dpr, camera.viewHeight / dpr];
  const over = box.y / dpr - GAP_CSS_PX - height;
  const top = over >= EDGE_CSS_PX ? over : (box.y + box.height) / dpr + GAP_CSS_PX;
  const left = Math.max(EDGE_CSS_PX, box.x / dpr + cell / 2);
  return new DOMRect(Math.min(left, across - width - EDGE_CSS_PX), Math.min(top, down - height - EDGE_CSS_PX), width, height);
}

/**
 * Returns whether two labels would touch.
 * @param {DOMRect} a
 * @param {DOMRect} b
 */
export function isNear(a, b) {
  return a.left < b.right + 8 && b.left < a.right + 8 && a.top < b.bottom + 6 && b.top < a.bottom + 6;
}
