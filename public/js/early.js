// Runs before the first paint, because modules run too late: sets the chosen theme, and the serif if it was loaded, and sizes
// the frame of the canvas, whose picture is in the page, so that nothing moves when the live canvas takes its place.

import { layOutFrame } from './canvas/layout.js';

try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  if (localStorage.getItem('caraplace-serif')) document.documentElement.toggleAttribute('data-serif', true);
} catch { /* Storage may be forbidden: the system's preference holds then. */ }

function layOut() {
  const [slot, frame, log] = ['frame-slot', 'frame', 'log'].map((id) => document.getElementById(id));
  if (slot && frame?.dataset.columns) {
    if (!frame.style.width) layOutFrame({ slot, frame }, { width: Number(frame.dataset.columns), height: Number(frame.dataset.rows) });
    // The newest messages are at the end.
    log?.scrollTo(0, log.scrollHeight);
  } else if (document.readyState === 'loading') {
    requestAnimationFrame(layOut);
  }
}

// The first frame comes when the style sheets and the whole body are there.
requestAnimationFrame(layOut);
