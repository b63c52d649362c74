// The results of a search as links to their moment and place.

import { el } from '../shared/dom.js';
import { agoTag } from '../shared/format.js';

/** @typedef {import('../shared/types.js').SearchResult} SearchResult */
/** @typedef {import('../shared/types.js').SeasonRecord} SeasonRecord */

const VISIT_CELL = 12;
/** @type {Record<string, string>} */
const KIND_NAMES = { chat: 'Message', agents: 'Agent', plans: 'Plan', seasons: 'Season' };

/**
 * Renders a text with its matches marked.
 * @param {string} text
 * @param {[number, number][]} ranges of code points
 * @returns {(Node | string)[]}
 */
export function markMatches(text, ranges) {
  const points = Array.from(text);
  /** @type {(Node | string)[]} */ const parts = [];
  let end = 0;
  for (const [from, to] of ranges) {
    parts.push(points.slice(end, from).join(''), el('mark', {}, points.slice(from, to).join('')));
    end = to;
  }
  parts.push(points.slice(end).join(''));
  return parts;
}

/**
 * Returns the address of a result.
 * @param {SearchResult} result
 * @param {SeasonRecord[]} seasons
 */
export function addressOf({ kind, id, x, y }, seasons) {
  const name = encodeURIComponent(id);
  if (kind === 'agents') return `/agents/${name}`;
  if (kind === 'plans') return `/plans/${name}`;
  if (kind === 'chat') return `/?message=${name}${x === undefined ? '' : `#x=${x}&y=${y}&z=${VISIT_CELL}`}`;
  const season = seasons.find((found) => found.id === id);
  return season ? `/seasons/${season.number}` : '/seasons';
}

/**
 * @param {SearchResult} result
 * @param {SeasonRecord[]} seasons
 */
export function renderResult(result, seasons) {
  const place = result.x === undefined ? '' : ` at ${result.x}, ${result.y}`;
  return el('li', {}, el('a', { href: addressOf(result, seasons) },
    el('span', { class: 'search-about' }, `${KIND_NAMES[result.kind] ?? result.kind}${place} · `, agoTag(result.at)),
    el('span', { class: 'search-text', dir: 'auto' }, ...markMatches(result.text, result.ranges))));
}
