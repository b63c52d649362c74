// The date and time at the pointer, over the track of the time bar.

import { byId } from '../shared/dom.js';
import { formatMoment } from '../shared/format.js';

/** @typedef {import('./time-scale.js').TimeScale} TimeScale */

// The thumb of the slider is as wide: its centre, not its edge, stands at the ends of the track.
const THUMB_REM = 1;

/** @param {() => TimeScale | null} findScale */
export function startTimeTip(findScale) {
  const [slider, tip] = [byId('time-slider'), byId('time-tip')];
  const hide = () => { tip.hidden = true; };
  slider.addEventListener('pointermove', (event) => showTip(event, slider, tip, findScale()));
  slider.addEventListener('pointerdown', (event) => showTip(event, slider, tip, findScale()));
  for (const name of ['pointerleave', 'pointercancel', 'blur']) slider.addEventListener(name, hide);
  slider.addEventListener('pointerup', (event) => { if (event.pointerType !== 'mouse') hide(); });
}

/**
 * @param {PointerEvent} event
 * @param {HTMLElement} slider
 * @param {HTMLElement} tip
 * @param {TimeScale | null} scale
 */
function showTip({ clientX }, slider, tip, scale) {
  if (!scale) return;
  const { left, width } = slider.getBoundingClientRect();
  const thumb = THUMB_REM * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const fraction = Math.min(1, Math.max(0, (clientX - left - thumb / 2) / Math.max(1, width - thumb)));
  tip.textContent = formatMoment(scale.timeAt(fraction));
  tip.hidden = false;
  const middle = Math.min(width - tip.offsetWidth / 2, Math.max(tip.offsetWidth / 2, clientX - left));
  tip.style.left = `${Math.round(middle)}px`;
}
