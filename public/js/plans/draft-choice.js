// Asks which picture to go on with, if a plan was changed after its drawing was kept in this browser.

import { byId, nameTag } from '../shared/dom.js';
import { CellPainter, parseRows } from './picture.js';

/** @typedef {import('../shared/types.js').Color} Color */
/** @typedef {import('./drafts.js').Draft} Draft */

/**
 * Shows both pictures, and returns whether the visitor goes on with the drawing.
 * @param {Draft} draft
 * @param {import('../shared/types.js').Plan} plan
 * @param {Color[]} palette
 * @returns {Promise<boolean>}
 */
export function chooseDraft(draft, plan, palette) {
  showPicture('draft', draft, palette);
  showPicture('newer', plan, palette);
  const choice = byId('draft-choice');
  byId('editor-loading').hidden = true;
  choice.hidden = false;
  byId('draft-title').focus();
  return new Promise((resolve) => {
    for (const name of ['draft', 'newer']) {
      byId(`take-${name}`).addEventListener('click', () => {
        choice.hidden = true;
        resolve(name === 'draft');
      });
    }
  });
}

/**
 * @param {'draft' | 'newer'} name
 * @param {Draft} fields
 * @param {Color[]} palette
 */
function showPicture(name, { title, rows, version }, palette) {
  const painter = new CellPainter(/** @type {HTMLCanvasElement} */ (byId(`${name}-picture`)));
  painter.setPalette(palette);
  painter.setSize(rows[0].length, rows.length);
  painter.fill(parseRows(rows));
  byId(`${name}-title-text`).replaceChildren(nameTag(title));
  byId(`${name}-version`).textContent = String(version ?? 0);
}
