// Notices that the page has slept: a closed laptop keeps connections that look open and are dead.

const TICK_MS = 5000;
// Hidden pages are given one tick a minute; a gap beyond that was sleep.
const SLEPT_MS = 20000;
const SLEPT_HIDDEN_MS = 90000;

/** @param {() => void} onWake */
export function startWake(onWake) {
  let last = Date.now();
  let hidden = document.hidden;
  const look = () => {
    const gap = Date.now() - last;
    const slept = gap > (hidden ? SLEPT_HIDDEN_MS : SLEPT_MS);
    last = Date.now();
    hidden = document.hidden;
    if (slept) onWake();
  };
  setInterval(look, TICK_MS);
  document.addEventListener('visibilitychange', look);
  // Where the browser says that it froze the page, there is nothing to guess.
  document.addEventListener('resume', onWake);
}
