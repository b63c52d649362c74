// Detects that the page was suspended: after sleep, connections look open but are dead.

const TICK_MS = 5000;
// Hidden pages get one tick per minute; a longer gap was sleep.
const SLEEP_GAP_MS = 20000;
const HIDDEN_SLEEP_GAP_MS = 90000;

/** @param {() => void} onWake */
export function startWatchdog(onWake) {
  let last = Date.now();
  let hidden = document.hidden;
  const check = () => {
    const gap = Date.now() - last;
    const hasSlept = gap > (hidden ? HIDDEN_SLEEP_GAP_MS : SLEEP_GAP_MS);
    last = Date.now();
    hidden = document.hidden;
    if (hasSlept) onWake();
  };
  setInterval(check, TICK_MS);
  document.addEventListener('visibilitychange', check);
  // Browsers that report a freeze need no guess.
  document.addEventListener('resume', onWake);
}
