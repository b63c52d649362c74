// What an author wrote, as text; a name that is called with @ becomes a button, the visitor's own is marked.

import { el } from '../shared/dom.js';
import { fold } from '../people/agent-names.js';

/** @typedef {{from: number, to: number, id: string | undefined, me: boolean}} Mention */
/**
 * @typedef {object} Known  whom a text may call
 * @property {import('../people/agent-names.js').Names} names
 * @property {import('../people/viewer.js').Viewer} viewer
 * @property {(id: string, name: string) => void} openAgent
 */

const LONGEST = 32;
const PART_OF_A_WORD = /[\p{L}\p{N}\p{M}_]/u;

/**
 * @param {string} text
 * @param {Known} known
 * @returns {Mention[]}
 */
export function mentionsIn(text, known) {
  const found = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    // An address such as a@b calls nobody.
    if (at > 0 && PART_OF_A_WORD.test(text[at - 1])) continue;
    const mention = mentionAt(text, at, known);
    if (!mention) continue;
    found.push(mention);
    at = mention.to - 1;
  }
  return found;
}

/**
 * The longest known name that stands whole behind an @.
 * @param {string} text
 * @param {number} at
 * @param {Known} known
 * @returns {Mention | null}
 */
function mentionAt(text, at, { names, viewer }) {
  for (let to = Math.min(text.length, at + 1 + LONGEST); to > at + 1; to--) {
    if (to < text.length && PART_OF_A_WORD.test(text[to])) continue;
    const name = fold(text.slice(at + 1, to));
    const id = names.called(name);
    const me = viewer.name !== null && name === viewer.folded;
    if (id || me) return { from: at, to, id, me };
  }
  return null;
}

/**
 * @param {Element} node
 * @param {string} text
 * @param {Known} known
 */
export function writeText(node, text, known) {
  const parts = [];
  let done = 0;
  for (const mention of mentionsIn(text, known)) {
    parts.push(text.slice(done, mention.from), mentionTag(text.slice(mention.from, mention.to), mention, known));
    done = mention.to;
  }
  node.replaceChildren(...parts, text.slice(done));
}

/**
 * @param {string} words
 * @param {Mention} mention
 * @param {Known} known
 */
function mentionTag(words, { id, me }, { openAgent }) {
  if (!id) return el('mark', { class: 'mention' }, words);
  const button = el('button', { type: 'button', class: 'plain mention', tabindex: -1 }, words);
  button.toggleAttribute('data-me', me);
  button.addEventListener('click', () => openAgent(id, words.slice(1)));
  return button;
}
