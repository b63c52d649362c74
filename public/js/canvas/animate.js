// Camera movements over several frames: an eased move to a target, and inertia after a drag.

import { Camera } from './camera.js';

const INERTIA_MS = 300;
const MIN_SPEED = 0.02;

/** @param {number} t */
const easeOut = (t) => 1 - (1 - t) ** 3;
/** @param {number} t */
const easeBoth = (t) => (t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2);

/**
 * Returns a step function that moves the camera to its position at a time and returns whether the animation goes on.
 * @param {Camera} camera
 * @param {{x: number, y: number, zoom: number}} target
 * @param {number} duration milliseconds
 * @returns {(now: number) => boolean}
 */
export function createAnimation(camera, target, duration) {
  const end = Object.assign(new Camera(), camera, target);
  end.clamp();
  const from = { x: camera.x, y: camera.y, zoom: camera.zoom };
  const ease = duration > 500 ? easeBoth : easeOut;
  let start = 0;
  return (now) => {
    start ||= now;
    const t = Math.min(1, (now - start) / duration);
    const done = ease(t);
    camera.zoom = from.zoom * (end.zoom / from.zoom) ** done;
    camera.x = from.x + (end.x - from.x) * done;
    camera.y = from.y + (end.y - from.y) * done;
    return t < 1;
  };
}

/**
 * Returns a step function that lets the camera run out after a drag, with decreasing speed.
 * @param {Camera} camera
 * @param {number} speedX device pixels per millisecond
 * @param {number} speedY
 * @returns {(now: number) => boolean}
 */
export function createInertia(camera, speedX, speedY) {
  let last = 0;
  return (now) => {
    const passed = last ? Math.min(50, now - last) : 16;
    last = now;
    camera.panBy(speedX * passed, speedY * passed);
    const left = Math.exp(-passed / INERTIA_MS);
    speedX *= left;
    speedY *= left;
    return Math.hypot(speedX, speedY) > MIN_SPEED * camera.dpr;
  };
}
