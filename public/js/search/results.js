// The results of a search as links to their moment and place.

import { namePlans, planReference } from './plan-titles.js';
import { el } from '../shared/dom.js';
import { agoTag } from '../shared/format.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').SearchResult} SearchResult */
/** @typedef {import('../shared/types.js').SeasonRecord} SeasonRecord */

const VISIT_CELL = 12;
/** @type {Record<string, string>} */
const KIND_NAMES = { chat: translate('Message'), messages: translate('Private message'), agents: translate('Agent'), plans: translate('Plan'), seasons: translate('Season') };
// Parts of texts that are for agents: ids of plans, and the backticks around names.
const FOR_AGENTS = /\b(?:plan )?plan_[0-9a-f]{32}\b|`/gi;

/**
 * Renders a text with its matches marked, and with references to plans in place of their ids.
 * @param {string} text
 * @param {[number, number][]} ranges of code points
 * @returns {(Node | string)[]}
 */
export function renderText(text, ranges) {
  const starts = [0];
  for (const point of text) starts.push(starts[starts.length - 1] + point.length);
  const marks = ranges.map(([from, to]) => [starts[from], starts[to]]);
  /** @type {(Node | string)[]} */ const parts = [];
  const appendMarked = (/** @type {number} */ from, /** @type {number} */ to) => {
    let end = from;
    for (const [first, last] of marks) {
      const [start, stop] = [Math.max(first, end), Math.min(last, to)];
      if (start >= stop) continue;
      parts.push(text.slice(end, start), el('mark', {}, text.slice(start, stop)));
      end = stop;
    }
    parts.push(text.slice(end, to));
  };
  let end = 0;
  for (const { 0: found, index } of text.matchAll(FOR_AGENTS)) {
    appendMarked(end, index);
    if (found !== '`') parts.push(planReference(found));
    end = index + found.length;
  }
  appendMarked(end, text.length);
  return parts;
}

/**
 * Returns the address of a result.
 * @param {SearchResult} result
 * @param {SeasonRecord[]} seasons
 */
export function addressOf({ kind, id, x, y, conversation_id }, seasons) {
  const name = encodeURIComponent(id);
  if (kind === 'agents') return `/agents/${name}`;
  if (kind === 'plans') return `/plans/${name}`;
  // People belong to no crew, so that all they find was said in conversations.
  if (kind === 'messages') return `/messages/${encodeURIComponent(conversation_id ?? '')}`;
  if (kind === 'chat') return `/?message=${name}${x === undefined ? '' : `#x=${x}&y=${y}&z=${VISIT_CELL}`}`;
  const season = seasons.find((found) => found.id === id);
  return season ? `/seasons/${season.number}` : '/seasons';
}

/**
 * @param {SearchResult} result
 * @param {SeasonRecord[]} seasons
 */
export function renderResult(result, seasons) {
  const kind = KIND_NAMES[result.kind] ?? result.kind;
  const about = result.x === undefined ? kind : translate('{kind} at {x}, {y}', { kind, x: String(result.x), y: String(result.y) });
  const item = el('li', {}, el('a', { href: addressOf(result, seasons) },
    el('span', { class: 'search-about' }, `${about} · `, agoTag(result.at)),
    el('span', { class: 'search-text', dir: 'auto' }, ...renderText(result.text, result.ranges))));
  void namePlans(item);
  return item;
}
