// The invitation on an empty canvas, which the server renders while nothing is painted; it goes with the first pixel.

const node = document.getElementById('invitation');

/** Removes the invitation. */
export function removeInvitation() {
  node?.remove();
}

/** Removes the invitation if a pixel of the canvas is painted. @param {Uint8Array} cells */
export function removeInvitationIfPainted(cells) {
  if (node?.isConnected && cells.some((color) => color > 0)) node.remove();
}
