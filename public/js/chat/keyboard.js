// Keyboard input in the chat: arrows move between messages, Tab reaches the controls of the current one.

const CONTROLS = 'button, a[href]';
const FIELDS = 'input, textarea';

/** @param {HTMLElement} log @param {HTMLElement} list */
export function startChatKeyboard(log, list) {
  /** @type {Element | null} */
  let current = null;
  const setCurrent = (/** @type {Element | null} */ row) => {
    if (row === current) return;
    current?.querySelectorAll(CONTROLS).forEach((control) => control.setAttribute('tabindex', '-1'));
    row?.querySelectorAll(CONTROLS).forEach((control) => control.removeAttribute('tabindex'));
    // Controls that are rendered later look here whether Tab reaches them.
    current?.removeAttribute('data-current');
    row?.toggleAttribute('data-current', true);
    current = row;
  };
  const rowOf = (/** @type {EventTarget | null} */ node) => (node instanceof Element ? node.closest('.msg') : null);
  const lastVisibleRow = () => {
    const bottom = log.getBoundingClientRect().bottom;
    const rows = [...list.children];
    return rows.findLast((row) => row.getBoundingClientRect().top < bottom - 20) ?? null;
  };
  log.addEventListener('focusin', (event) => setCurrent(rowOf(event.target)));
  log.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || (event.target instanceof Element && event.target.matches(FIELDS))) return;
    const row = rowOf(document.activeElement);
    const target = { ArrowUp: row ? row.previousElementSibling : lastVisibleRow(), ArrowDown: row ? row.nextElementSibling : lastVisibleRow(), Home: list.firstElementChild, End: list.lastElementChild }[event.key];
    if (!(target instanceof HTMLElement)) return;
    event.preventDefault();
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'nearest' });
  });
}
