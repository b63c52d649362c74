// The details of a draft's change: its fields, the picture of a plan, and what has come of it.

import { createPlaceButton } from './pointers.js';
import { CellPainter, parseRows } from '../plans/picture.js';
import { el } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('./types.js').Draft} Draft */
/** @typedef {import('./types.js').PageActions} PageActions */

/** Fields that are shown in another form. */
const HIDDEN_FIELDS = ['x', 'y', 'x1', 'y1', 'x2', 'y2', 'rows', 'region', 'regions', 'type'];
const LINKS = /** @type {[RegExp, string][]} */ ([[/^agent_\w{1,64}$/, '/agents/'], [/^plan_\w{1,64}$/, '/plans/'], [/^crew_\w{1,64}$/, '/crews/']]);

/**
 * Renders the fields of the change.
 * @param {Draft} draft
 * @param {PageActions} actions
 * @returns {Node[]}
 */
export function renderChange({ change }, actions) {
  const rows = isRows(change.rows) ? change.rows : null;
  const list = el('dl', { class: 'guide-change' });
  for (const region of findRegions(change, rows)) addField(list, translate('place'), createPlaceButton(region, actions));
  for (const [name, value] of Object.entries(change)) {
    if (!HIDDEN_FIELDS.includes(name) && value !== null) addField(list, name.replaceAll('_', ' '), renderValue(value, actions));
  }
  return [...(rows ? [drawPicture(rows, actions)] : []), ...(list.children.length ? [list] : [])];
}

/**
 * Renders links to what an approved change has made.
 * @param {Draft} draft
 * @param {PageActions} actions
 * @returns {Node[]}
 */
export function renderResult({ result }, actions) {
  const [plan, message] = [result?.plan?.id, result?.message?.id];
  if (typeof plan === 'string') return [el('a', { href: `/plans/${encodeURIComponent(plan)}` }, translate('See the plan'))];
  return typeof message === 'string' ? [createMessageButton(message, translate('See the message'), actions)] : [];
}

/**
 * @param {HTMLElement} list
 * @param {string} name
 * @param {Node | string | null} value
 */
function addField(list, name, value) {
  if (value) list.append(el('dt', {}, name), el('dd', { class: 'foreign', dir: 'auto' }, value));
}

/**
 * @param {unknown} value
 * @param {PageActions} actions
 * @returns {Node | string}
 */
function renderValue(value, actions) {
  if (typeof value !== 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (/^msg_\w{1,64}$/.test(value)) return createMessageButton(value, value, actions);
  const [, path] = LINKS.find(([pattern]) => pattern.test(value)) ?? [];
  return path ? el('a', { href: path + value }, value) : value;
}

/**
 * @param {string} id
 * @param {string} words
 * @param {PageActions} actions
 */
function createMessageButton(id, words, actions) {
  const button = el('button', { type: 'button', class: 'plain guide-pointer' }, words);
  button.addEventListener('click', () => actions.showMessage(id));
  return button;
}

/**
 * Returns the parts of the canvas that a change is about.
 * @param {Record<string, any>} change
 * @param {string[] | null} rows of a plan
 * @returns {import('./types.js').Region[]}
 */
function findRegions(change, rows) {
  const { x, y, x1, region, regions } = change;
  const plan = rows && [{ x1: x, y1: y, x2: x + rows[0].length - 1, y2: y + rows.length - 1 }];
  const found = plan ?? (x1 === undefined ? regions ?? [region] : [change]);
  const isRegion = (/** @type {any} */ area) => ['x1', 'y1', 'x2', 'y2'].every((name) => Number.isInteger(area?.[name]));
  return Array.isArray(found) ? found.filter(isRegion) : [];
}

/** @param {any} rows @returns {rows is string[]} */
function isRows(rows) {
  return Array.isArray(rows) && rows.length > 0 && rows.every((row) => typeof row === 'string' && row.length === rows[0].length && row.length > 0);
}

/**
 * @param {string[]} rows
 * @param {PageActions} actions
 */
function drawPicture(rows, actions) {
  const canvas = /** @type {HTMLCanvasElement} */ (el('canvas', { class: 'guide-picture', role: 'img', 'aria-label': translate('The picture, {width} × {height} pixels', { width: rows[0].length, height: rows.length }) }));
  const painter = new CellPainter(canvas);
  painter.setPalette(actions.palette());
  painter.setSize(rows[0].length, rows.length);
  painter.fill(parseRows(rows));
  return canvas;
}
