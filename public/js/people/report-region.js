// The part of the canvas in a report: its picture, a button to draw another one, and its numbers behind a disclosure.

import { drawRegion } from '../canvas/rectangle-picture.js';
import { formatSize, heightOf, isOnCanvas, widthOf } from '../canvas/region.js';
import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Region} Region */

/**
 * @typedef {object} ReportCanvas  the canvas of the page
 * @property {import('../canvas/canvas-state.js').CanvasState} state
 * @property {() => Promise<Region | null>} draw lets the visitor draw a rectangle; `null` if that is cancelled
 */

const MAX_SIDE = 64;
const PICTURE_SIDE = 160;
/** @type {[keyof Region, string][]} */
const SIDES = [['x1', translate('Left')], ['y1', translate('Top')], ['x2', translate('Right')], ['y2', translate('Bottom')]];

export class ReportRegion {
  #picture = el('div', { class: 'report-picture' });
  #text = el('p', { role: 'status' });
  #draw = el('button', { type: 'button', class: 'report-draw' }, translate('Draw it on the canvas'));
  /** @type {Map<keyof Region, HTMLInputElement>} */ #inputs = new Map();

  /**
   * @param {Region} region
   * @param {ReportCanvas} canvas
   * @param {() => void} onDraw called when the visitor wants to draw the part
   */
  constructor(region, canvas, onDraw) {
    this.canvas = canvas;
    this.#draw.addEventListener('click', onDraw);
    const { width, height } = canvas.state;
    const labels = SIDES.map(([side, label]) => {
      const input = /** @type {HTMLInputElement} */ (el('input', { id: `report-${side}`, type: 'number', min: 0, max: (side[0] === 'x' ? width : height) - 1, step: 1, required: '' }));
      input.addEventListener('input', () => this.#show());
      this.#inputs.set(side, input);
      return el('label', { for: input.id }, label, input);
    });
    this.node = el('div', { class: 'report-region' }, this.#picture, el('div', {}, this.#text, this.#draw),
      el('details', { class: 'report-numbers' }, el('summary', {}, translate('Type the numbers')), el('div', { class: 'corners' }, ...labels)));
    this.region = region;
  }

  /** The chosen part; its numbers may be impossible. @returns {Region} */
  get region() {
    const [x1, y1, x2, y2] = SIDES.map(([side]) => this.#inputs.get(side)?.valueAsNumber ?? NaN);
    return { x1, y1, x2, y2 };
  }

  set region(region) {
    for (const [side, input] of this.#inputs) input.value = String(region[side]);
    this.#show();
  }

  /** Why this part cannot be reported, in a sentence; empty if it can. */
  get problem() {
    const { region } = this;
    if (!Object.values(region).every((side) => Number.isInteger(side) && side >= 0) || !isOnCanvas(region, this.canvas.state)) return translate('The four numbers must lie on the canvas.');
    if (region.x2 < region.x1 || region.y2 < region.y1) return translate('Right must be at least left, and bottom at least top.');
    if (widthOf(region) > MAX_SIDE || heightOf(region) > MAX_SIDE) return translate('A part may be at most {max} pixels wide and high. This one has {size}.', { max: MAX_SIDE, size: formatSize(region) });
    return '';
  }

  focus() {
    this.#draw.focus();
  }

  #show() {
    const { region, problem } = this;
    this.#text.textContent = problem || translate('{size} pixels, from {x1}, {y1} to {x2}, {y2}', { size: formatSize(region), ...region });
    this.#picture.replaceChildren(...(problem ? [] : [drawRegion(this.canvas.state, region, PICTURE_SIDE)]));
  }
}
