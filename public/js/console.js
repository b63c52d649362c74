// The operators' console: keys through the queue of reports, and the start of a rollback that follows the chosen painter.

/**
 * Returns true if a key that is pressed there writes or chooses something.
 * @param {EventTarget | null} target
 */
function takesKeys(target) {
  return target instanceof Element && target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])');
}

/**
 * Moves the focus among the links of the list, or opens the next or the previous report.
 * @param {1 | -1} step
 */
function go(step) {
  const rows = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.queue-list tbody th a'))];
  if (rows.length === 0) {
    /** @type {HTMLAnchorElement | null} */ (document.querySelector(step > 0 ? 'a[rel="next"]' : 'a[rel="prev"]'))?.click();
    return;
  }
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event.target)) return;
  if (event.key === 'j') go(1);
  else if (event.key === 'k') go(-1);
  else if (event.key === 'd') /** @type {HTMLElement | null} */ (document.querySelector('#decide :is(input:not([type="hidden"]), select)'))?.focus();
  else return;
  event.preventDefault();
});

const start = /** @type {HTMLInputElement | null} */ (document.getElementById('decide-from'));
for (const painter of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('#decide input[data-from]'))) {
  painter.addEventListener('change', () => {
    if (start) start.value = painter.dataset.from ?? '';
  });
}
