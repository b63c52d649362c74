// The frame on the wall: its size, so that every cell is a whole number of device pixels wherever that is possible.

import { fitCell } from './camera.js';

/**
 * @param {{nail: HTMLElement, frame: HTMLElement}} parts
 * @param {{width: number, height: number}} state
 * @returns {{dpr: number, viewWidth: number, viewHeight: number} | null} null while there is no room
 */
export function hang({ nail, frame }, state) {
  const style = getComputedStyle(frame);
  const edge = 2 * (parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth));
  const dpr = window.devicePixelRatio || 1;
  const cell = fitCell((nail.clientWidth - edge) * dpr / state.width, (nail.clientHeight - edge) * dpr / state.height);
  if (!(cell > 0)) return null;
  const viewWidth = Math.round(cell * state.width);
  const viewHeight = Math.round(cell * state.height);
  frame.style.width = `${viewWidth / dpr + edge}px`;
  frame.style.height = `${viewHeight / dpr + edge}px`;
  frame.closest('main')?.style.setProperty('--frame-size', frame.style.width);
  snap(frame, dpr);
  return { dpr, viewWidth, viewHeight };
}

/**
 * Moves the frame by less than a device pixel, so that the paint begins on one: between two it would be blurred.
 * @param {HTMLElement} frame
 * @param {number} dpr
 */
function snap(frame, dpr) {
  Object.assign(frame.style, { position: 'relative', left: '0', top: '0' });
  const { left, top } = /** @type {Element} */ (frame.firstElementChild).getBoundingClientRect();
  frame.style.left = `${(Math.round(left * dpr) - left * dpr) / dpr}px`;
  frame.style.top = `${(Math.round(top * dpr) - top * dpr) / dpr}px`;
}

/**
 * Calls back whenever the device pixel ratio changes: another screen, or the browser's own zoom.
 * @param {() => void} changed
 */
export function watchRatio(changed) {
  matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener('change', () => {
    changed();
    watchRatio(changed);
  }, { once: true });
}
