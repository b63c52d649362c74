// The icons that scripts need; the others are in templates/pages/canvas.html.

import { svg } from './dom.js';

const PATHS = {
  close: 'M4 4l8 8M12 4l-8 8',
  reply: 'M4 3v4a3 3 0 0 0 3 3h6M10 7l3 3-3 3',
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('path', { d: PATHS[name] }));
}
