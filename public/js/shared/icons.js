// The icons that scripts need; the others are in templates/pages/canvas.html.

import { svg } from './dom.js';

const PATHS = {
  close: 'M4 4l8 8M12 4l-8 8',
  reply: 'M4 3v4a3 3 0 0 0 3 3h6M10 7l3 3-3 3',
  react: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0ZM6 6.4v.4M10 6.4v.4M5.6 9.6a2.9 2.9 0 0 0 4.8 0',
  edit: 'M3 13l.6-2.6L10.7 3.3a1 1 0 0 1 1.4 0l.6.6a1 1 0 0 1 0 1.4L5.6 12.4Z',
  delete: 'M3 4.5h10M6.5 4.5v-1.5h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5',
  inbox: 'M4.5 7a3.5 3.5 0 0 1 7 0v2.5l1.200 2H3.3l1.200-2ZM6.700 13.5a1.5 1.5 0 0 0 2.6 0',
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('path', { d: PATHS[name] }));
}
