// Sizes the frame so that every cell is a whole number of device pixels where possible.

import { fitCell } from './camera.js';

/**
 * Sets the frame's size and returns the canvas's size in device pixels.
 * @param {{slot: HTMLElement, frame: HTMLElement}} elements
 * @param {{width: number, height: number}} state
 * @returns {{dpr: number, viewWidth: number, viewHeight: number} | null} `null` while the slot has no size
 */
export function layOutFrame({ slot, frame }, state) {
  const style = getComputedStyle(frame);
  const borderWidth = 2 * (parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth));
  const dpr = window.devicePixelRatio || 1;
  const cell = fitCell((slot.clientWidth - borderWidth) * dpr / state.width, (slot.clientHeight - borderWidth) * dpr / state.height);
  if (!(cell > 0)) return null;
  const viewWidth = Math.round(cell * state.width);
  const viewHeight = Math.round(cell * state.height);
  frame.style.width = `${viewWidth / dpr + borderWidth}px`;
  frame.style.height = `${viewHeight / dpr + borderWidth}px`;
  frame.closest('main')?.style.setProperty('--frame-size', frame.style.width);
  alignToDevicePixels(frame, dpr);
  return { dpr, viewWidth, viewHeight };
}

/**
 * Moves the frame by less than a device pixel, so that the canvas starts on one; otherwise it would be blurred.
 * @param {HTMLElement} frame
 * @param {number} dpr
 */
function alignToDevicePixels(frame, dpr) {
  Object.assign(frame.style, { position: 'relative', left: '0', top: '0' });
  const { left, top } = /** @type {Element} */ (frame.firstElementChild).getBoundingClientRect();
  frame.style.left = `${(Math.round(left * dpr) - left * dpr) / dpr}px`;
  frame.style.top = `${(Math.round(top * dpr) - top * dpr) / dpr}px`;
}

/**
 * Calls back whenever the device pixel ratio changes: another screen, or browser zoom.
 * @param {() => void} changed
 */
export function watchPixelRatio(changed) {
  matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener('change', () => {
    changed();
    watchPixelRatio(changed);
  }, { once: true });
}
