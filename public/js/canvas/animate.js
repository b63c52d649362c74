// Moves of the camera that take a while: a glide to a place, and the way a thrown canvas runs out.

import { Camera } from './camera.js';

const COAST_MS = 300;
const SLOWEST = 0.02;

/** @param {number} t */
const easeOut = (t) => 1 - (1 - t) ** 3;
/** @param {number} t */
const easeBoth = (t) => (t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2);

/**
 * Returns a step, which moves the camera to where it is at a time and says whether there is more to come.
 * @param {Camera} camera
 * @param {{x: number, y: number, zoom: number}} wanted
 * @param {number} duration milliseconds
 * @returns {(now: number) => boolean}
 */
export function glide(camera, wanted, duration) {
  const goal = Object.assign(new Camera(), camera, wanted);
  goal.clamp();
  const from = { x: camera.x, y: camera.y, zoom: camera.zoom };
  const ease = duration > 500 ? easeBoth : easeOut;
  let start = 0;
  return (now) => {
    start ||= now;
    const t = Math.min(1, (now - start) / duration);
    const done = ease(t);
    camera.zoom = from.zoom * (goal.zoom / from.zoom) ** done;
    camera.x = from.x + (goal.x - from.x) * done;
    camera.y = from.y + (goal.y - from.y) * done;
    return t < 1;
  };
}

/**
 * @param {Camera} camera
 * @param {number} speedX device pixels per millisecond
 * @param {number} speedY
 * @returns {(now: number) => boolean}
 */
export function coast(camera, speedX, speedY) {
  let last = 0;
  return (now) => {
    const passed = last ? Math.min(50, now - last) : 16;
    last = now;
    camera.panBy(speedX * passed, speedY * passed);
    const left = Math.exp(-passed / COAST_MS);
    speedX *= left;
    speedY *= left;
    return Math.hypot(speedX, speedY) > SLOWEST * camera.dpr;
  };
}
