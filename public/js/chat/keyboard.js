// The chat by keyboard: arrows move from message to message, Tab goes on to what the message at hand offers.

const INSIDE = 'button, a[href]';

/** @param {HTMLElement} log @param {HTMLElement} list */
export function startChatKeys(log, list) {
  /** @type {Element | null} */
  let current = null;
  const hold = (/** @type {Element | null} */ row) => {
    if (row === current) return;
    current?.querySelectorAll(INSIDE).forEach((control) => control.setAttribute('tabindex', '-1'));
    row?.querySelectorAll(INSIDE).forEach((control) => control.removeAttribute('tabindex'));
    current = row;
  };
  const rowOf = (/** @type {EventTarget | null} */ node) => (node instanceof Element ? node.closest('.msg') : null);
  const rowInSight = () => {
    const bottom = log.getBoundingClientRect().bottom;
    const rows = [...list.children];
    return rows.findLast((row) => row.getBoundingClientRect().top < bottom - 20) ?? null;
  };
  log.addEventListener('focusin', (event) => hold(rowOf(event.target)));
  log.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = rowOf(document.activeElement);
    const goal = { ArrowUp: row ? row.previousElementSibling : rowInSight(), ArrowDown: row ? row.nextElementSibling : rowInSight(), Home: list.firstElementChild, End: list.lastElementChild }[event.key];
    if (!(goal instanceof HTMLElement)) return;
    event.preventDefault();
    goal.focus({ preventScroll: true });
    goal.scrollIntoView({ block: 'nearest' });
  });
}
