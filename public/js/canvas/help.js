// The dialog with the keys and gestures of the canvas.

import { hasKeysEverywhere, setKeysEverywhere } from './key-target.js';
import { archive } from '../shared/season.js';
import { el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { translate } from '../shared/translate.js';

/** @type {[string[], string][]} */
const FOLLOW_KEYS = [[['F'], translate('follow the latest pixels')]];
/** @type {[string[], string][]} */
const PLAN_KEYS = [
  [['P'], translate('the list of plans')],
  [['O'], translate('the outlines of plans')],
];
/** @type {[string[], string][]} */
const GUIDE_KEYS = document.getElementById('guide-tab') ? [[['G'], translate('the guide, which answers questions')]] : [];
/** @type {[string[], string][]} */
const KEYS = [
  [['←', '↑', '↓', '→'], translate('move over the canvas, with Shift eight pixels at a time')],
  [['Enter'], translate('who painted this pixel')],
  [['+', '−'], translate('zoom in, zoom out; also the wheel, or two fingers')],
  [['0'], translate('the whole canvas')],
  ...(archive ? [] : FOLLOW_KEYS),
  [['R'], translate('choose a rectangle by two corners; with the mouse also by dragging with Shift')],
  [['/'], translate('search')],
  ...(archive ? [] : PLAN_KEYS),
  ...GUIDE_KEYS,
  [['Esc'], translate('close the card, show all painters again')],
];

export class Help {
  #dialog = el('dialog', { class: 'help', 'aria-labelledby': 'help-title' });

  constructor() {
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Close') }, icon('close'));
    close.addEventListener('click', () => this.#close());
    this.#dialog.addEventListener('click', (event) => { if (event.target === this.#dialog) this.#close(); });
    const rows = KEYS.flatMap(([keys, does]) => [el('dt', {}, ...keys.map((key) => el('kbd', {}, key))), el('dd', {}, does)]);
    this.#dialog.append(
      el('header', {}, el('h2', { id: 'help-title' }, translate('Keys and gestures')), close),
      el('p', {}, translate('Drag to move, double click to zoom in, click a pixel to see who painted it.')),
      el('dl', {}, ...rows),
      createKeySwitch());
    document.body.append(this.#dialog);
  }

  open() {
    /** @type {HTMLDialogElement} */ (this.#dialog).showModal();
  }

  #close() {
    /** @type {HTMLDialogElement} */ (this.#dialog).close();
  }
}

/** Creates the box that limits the keys to the canvas, for people who speak or whose hand slips on the keyboard (WCAG 2.1.4). */
function createKeySwitch() {
  const box = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox' }));
  box.checked = hasKeysEverywhere();
  box.addEventListener('change', () => setKeysEverywhere(box.checked));
  return el('label', { class: 'key-switch' }, box, translate('The keys work everywhere on this page, not only on the canvas.'));
}
