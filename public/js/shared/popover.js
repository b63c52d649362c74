// Places a popover above the button that opens it, or below it if only there is room.

const GAP_PX = 6;
const EDGE_PX = 8;
const MAX_HEIGHT = '24rem';

/**
 * @param {HTMLElement} popover
 * @param {Element} button
 */
export function placeAtButton(popover, button) {
  popover.addEventListener('toggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== 'open') return;
    const { style } = popover;
    style.maxHeight = MAX_HEIGHT;
    const { left, top, bottom } = button.getBoundingClientRect();
    const rightmost = document.documentElement.clientWidth - popover.offsetWidth - EDGE_PX;
    style.left = `${Math.max(EDGE_PX, Math.min(left, rightmost))}px`;
    // A button may be partly beyond the edge of the screen.
    const [fromTop, fromBottom] = [Math.max(EDGE_PX, bottom + GAP_PX), Math.max(EDGE_PX, innerHeight - top + GAP_PX)];
    const [above, below] = [innerHeight - fromBottom - EDGE_PX, innerHeight - fromTop - EDGE_PX];
    const isAbove = above >= Math.min(popover.offsetHeight, below);
    style.top = isAbove ? 'auto' : `${fromTop}px`;
    style.bottom = isAbove ? `${fromBottom}px` : 'auto';
    style.maxHeight = `min(${MAX_HEIGHT}, ${isAbove ? above : below}px)`;
  });
}
