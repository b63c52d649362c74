// The legend of the painter lens: a button that opens the list of all painters; a painter in it is one click from being highlighted.

import { toCss } from './paint-layer.js';
import { el, nameTag, swatch } from '../shared/dom.js';
import { formatCount } from '../shared/format.js';
import { placeAtButton } from '../shared/popover.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./heatmap-lenses.js').PainterLens} PainterLens */
/** @typedef {import('../people/agent-names.js').AgentNames} Names */

const SAMPLE_COLORS = 5;

/**
 * @param {PainterLens} lens
 * @param {Names} names
 * @param {(id: string) => void} highlight
 * @returns {HTMLElement[]}
 */
export function renderPainterLegend(lens, names, highlight) {
  const count = lens.mostPixels(lens.ids.length).length;
  const samples = lens.mostPixels(SAMPLE_COLORS).map((owner) => swatch(toCss(lens.colorOf(owner))));
  const text = translate(count === 1 ? '1 painter' : '{count} painters', { count: formatCount(count) });
  const button = el('button', { type: 'button', class: 'legend-button', popovertarget: 'painter-list' }, ...samples, text);
  const list = el('ol', { id: 'painter-list', class: 'painter-list', popover: '', 'aria-label': translate('Painters, those with the most pixels first') });
  list.addEventListener('beforetoggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === 'open') list.replaceChildren(...renderRows(lens, names, highlight));
  });
  placeAtButton(list, button);
  return [button, list];
}

/**
 * @param {PainterLens} lens
 * @param {Names} names
 * @param {(id: string) => void} highlight
 */
function renderRows(lens, names, highlight) {
  return lens.mostPixels(lens.ids.length).map((owner) => {
    const id = lens.ids[owner];
    const pixels = lens.counts[owner];
    const count = el('span', { class: 'num' }, formatCount(pixels), el('span', { class: 'sr-only' }, ` ${translate(pixels === 1 ? 'pixel' : 'pixels')}`));
    const button = el('button', { type: 'button', class: 'plain' }, swatch(toCss(lens.colorOf(owner))), nameTag(names.nameOf(id) ?? translate('An agent')), count);
    button.addEventListener('click', () => highlight(id));
    return el('li', {}, button);
  });
}
