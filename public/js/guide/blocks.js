// Splits the Markdown of an answer into blocks.

/** @typedef {'code' | 'heading' | 'list' | 'quote' | 'paragraph'} BlockKind */
/** @typedef {{kind: BlockKind, lines: string[]}} Block */

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^ {0,3}#{1,6} /;
const QUOTE = /^ {0,3}>/;
export const ITEM = /^( {0,12})(?:[-*+]|(\d{1,4})[.)]) +(.*)$/;

/**
 * @param {string} text
 * @returns {Block[]}
 */
export function splitBlocks(text) {
  const lines = text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ').split('\n');
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    if (!lines[at].trim()) {
      at++;
      continue;
    }
    const kind = kindOf(lines[at]);
    const end = findEnd(kind, lines, at);
    blocks.push({ kind, lines: lines.slice(at, end) });
    at = end;
  }
  return blocks;
}

/**
 * @param {string} line
 * @returns {BlockKind}
 */
function kindOf(line) {
  if (FENCE.test(line)) return 'code';
  if (HEADING.test(line)) return 'heading';
  if (QUOTE.test(line)) return 'quote';
  return ITEM.test(line) ? 'list' : 'paragraph';
}

/**
 * Returns the number of the line after a block.
 * @param {BlockKind} kind
 * @param {string[]} lines
 * @param {number} start
 */
function findEnd(kind, lines, start) {
  if (kind === 'heading') return start + 1;
  if (kind === 'code') {
    const close = lines.findIndex((line, at) => at > start && FENCE.test(line));
    return close < 0 ? lines.length : close + 1;
  }
  let end = start + 1;
  while (end < lines.length && goesOn(kind, lines, end)) end++;
  return end;
}

/**
 * Returns whether a line belongs to the block before it.
 * @param {BlockKind} kind
 * @param {string[]} lines
 * @param {number} at
 */
function goesOn(kind, lines, at) {
  const line = lines[at];
  // A blank line between items does not end their list.
  if (!line.trim()) return kind === 'list' && ITEM.test(lines[at + 1] ?? '');
  const next = kindOf(line);
  return next === kind || next === 'paragraph';
}
