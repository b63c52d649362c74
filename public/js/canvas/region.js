// Rectangles of the canvas: their size, what they contain, and their text in links.

/** @typedef {import('../shared/types.js').Region} Region */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{width: number, height: number}} Size */

/**
 * Returns the rectangle between two opposite corners, in any order.
 * @param {Point} from
 * @param {Point} to
 * @returns {Region}
 */
export function regionBetween(from, to) {
  return { x1: Math.min(from.x, to.x), y1: Math.min(from.y, to.y), x2: Math.max(from.x, to.x), y2: Math.max(from.y, to.y) };
}

/** @param {Region} region */
export const widthOf = ({ x1, x2 }) => x2 - x1 + 1;

/** @param {Region} region */
export const heightOf = ({ y1, y2 }) => y2 - y1 + 1;

/** Returns the size as text, such as "24 × 18". @param {Region} region */
export const formatSize = (region) => `${widthOf(region)} × ${heightOf(region)}`;

/**
 * @param {Region} region
 * @param {Point} point
 */
export function contains({ x1, y1, x2, y2 }, { x, y }) {
  return x >= x1 && x <= x2 && y >= y1 && y <= y2;
}

/**
 * Returns whether a pixel is in one of these rectangles.
 * @param {Region[] | null | undefined} regions
 * @param {Point} point
 */
export const isInside = (regions, point) => regions?.some((region) => contains(region, point)) ?? false;

/**
 * Returns whether two rectangles have a pixel in common.
 * @param {Region} a
 * @param {Region} b
 */
export function overlaps(a, b) {
  return a.x1 <= b.x2 && b.x1 <= a.x2 && a.y1 <= b.y2 && b.y1 <= a.y2;
}

/**
 * Returns whether a rectangle lies on a canvas of this size.
 * @param {Region} region
 * @param {Size} size
 */
export const isOnCanvas = ({ x2, y2 }, { width, height }) => x2 < width && y2 < height;

/** Returns the text that stands for a rectangle in a link. @param {Region} region */
export const formatRegion = ({ x1, y1, x2, y2 }) => [x1, y1, x2, y2].join(',');
