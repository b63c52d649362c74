// Places a popover above the button that opens it.

const GAP_PX = 6;
const EDGE_PX = 8;

/**
 * @param {HTMLElement} popover
 * @param {Element} button
 */
export function placeAbove(popover, button) {
  popover.addEventListener('toggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== 'open') return;
    const { left, top } = button.getBoundingClientRect();
    const rightmost = document.documentElement.clientWidth - popover.offsetWidth - EDGE_PX;
    popover.style.left = `${Math.max(EDGE_PX, Math.min(left, rightmost))}px`;
    popover.style.bottom = `${innerHeight - top + GAP_PX}px`;
  });
}
