// Keeps the focus within the guide, so that its keys go on working.

/**
 * Moves the focus to the log if it is in a part of the log that goes away.
 * @param {Element} part
 */
export function leaveFocus(part) {
  if (!part.contains(document.activeElement)) return;
  /** @type {HTMLElement | null} */ (part.closest('.guide-log'))?.focus({ preventScroll: true });
}
