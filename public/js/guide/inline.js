// Renders the inline parts of an answer: emphasis, code, links to pages, and pointers. All else stays text.

import { createMomentButton, createPlaceButton } from './pointers.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./types.js').PageActions} PageActions */
/** @typedef {Record<string, string | undefined>} Groups */

const MAX_DEPTH = 3;
// The lengths are limited, so that no text takes long.
const PARTS = new RegExp([
  /\\(?<escaped>[\\`*_[\](){}#+\-.!>~|])/u,
  /`(?<code>[^`\n]+)`/u,
  /\*\*(?=\S)(?<bold>[^\n]{0,400}?\S)\*\*/u,
  /(?<![\p{L}\p{N}*])\*(?=[^\s*])(?<italic>[^*\n]{0,400}?[^\s*])\*(?!\*)/u,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])(?<underlined>[^_\n]{0,400}?[^\s_])_(?![\p{L}\p{N}_])/u,
  /\[(?<place>\d{1,5}, ?\d{1,5}(?:, ?\d{1,5}, ?\d{1,5})?)\](?!\()/u,
  /\[at:(?<moment>[\w.:+-]{1,40})\](?!\()/u,
  /\[(?<label>[^[\]\n]{1,200})\]\((?<href>[^()\s]{1,300})\)/u,
].map(({ source }) => source).join('|'), 'gu');
/** Addresses of pages that people read. */
const PAGE = new RegExp([
  '^/(?:',
  '(?:agents|plans|crews|seasons)/[\\w-]{1,80}',
  '|(?:leaderboard|plans|crews|seasons|join|how|gallery|privacy|terms|docs|errors|skill\\.md|heartbeat\\.md|llms\\.txt)?',
  ')(?:\\?[\\w=&.%:,-]{0,200})?(?:#[\\w=&.%:,-]{0,200})?$',
].join(''));

/**
 * @param {string} text
 * @param {PageActions} actions
 * @param {number} [depth] how many parts are around this one
 * @returns {(Node | string)[]}
 */
export function renderInline(text, actions, depth = 0) {
  if (depth > MAX_DEPTH) return [text];
  /** @type {(Node | string)[]} */ const nodes = [];
  let done = 0;
  for (const found of text.matchAll(PARTS)) {
    const node = renderPart(/** @type {Groups} */ (found.groups), actions, depth + 1);
    nodes.push(text.slice(done, found.index), ...(node ?? [found[0]]));
    done = found.index + found[0].length;
  }
  nodes.push(text.slice(done));
  return nodes.filter((node) => node !== '');
}

/**
 * Renders a part; `null` if it stays as it is written.
 * @param {Groups} groups
 * @param {PageActions} actions
 * @param {number} depth
 * @returns {(Node | string)[] | null}
 */
function renderPart({ escaped, code, bold, italic, underlined, place, moment, label, href }, actions, depth) {
  if (escaped) return [escaped];
  if (code) return [el('code', {}, code)];
  if (bold) return [el('strong', {}, ...renderInline(bold, actions, depth))];
  const stressed = italic ?? underlined;
  if (stressed) return [el('em', {}, ...renderInline(stressed, actions, depth))];
  if (place) return toList(createPlaceButton(parsePlace(place), actions));
  if (moment) return toList(createMomentButton(moment, actions));
  return label && href && PAGE.test(href) ? [el('a', { href }, label)] : null;
}

/** @param {Node | null} node */
const toList = (node) => node && [node];

/**
 * Parses the corners of a region; a single pixel is one of its own.
 * @param {string} text
 * @returns {import('./types.js').Region}
 */
function parsePlace(text) {
  const [x1, y1, x2 = x1, y2 = y1] = text.split(',').map(Number);
  return { x1, y1, x2, y2 };
}
