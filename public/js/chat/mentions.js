// Renders a message's text; mentions of agents become buttons, those of the visitor are marked.

import { foldName } from '../people/agent-names.js';
import { el } from '../shared/dom.js';

/** @typedef {{from: number, to: number, id: string | undefined, isViewer: boolean}} Mention */
/**
 * @typedef {object} MentionContext who can be mentioned
 * @property {import('../people/agent-names.js').AgentNames} names
 * @property {import('../people/viewer.js').Viewer} viewer
 * @property {(id: string, name: string) => void} openAgent
 */

const MAX_NAME_LENGTH = 32;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u;

/**
 * @param {string} text
 * @param {MentionContext} context
 * @returns {Mention[]}
 */
export function findMentions(text, context) {
  const found = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    // An address such as a@b is no mention.
    if (at > 0 && WORD_CHARACTER.test(text[at - 1])) continue;
    const mention = findMentionAt(text, at, context);
    if (!mention) continue;
    found.push(mention);
    at = mention.to - 1;
  }
  return found;
}

/**
 * Returns the longest known name that stands as a whole after an @.
 * @param {string} text
 * @param {number} at
 * @param {MentionContext} context
 * @returns {Mention | null}
 */
function findMentionAt(text, at, { names, viewer }) {
  for (let to = Math.min(text.length, at + 1 + MAX_NAME_LENGTH); to > at + 1; to--) {
    if (to < text.length && WORD_CHARACTER.test(text[to])) continue;
    const name = foldName(text.slice(at + 1, to));
    const id = names.idOf(name);
    const me = viewer.name !== null && name === viewer.foldedName;
    if (id || me) return { from: at, to, id, isViewer: me };
  }
  return null;
}

/**
 * @param {Element} node
 * @param {string} text
 * @param {MentionContext} context
 */
export function renderText(node, text, context) {
  const parts = [];
  let done = 0;
  for (const mention of findMentions(text, context)) {
    parts.push(text.slice(done, mention.from), renderMention(text.slice(mention.from, mention.to), mention, context));
    done = mention.to;
  }
  node.replaceChildren(...parts, text.slice(done));
}

/**
 * @param {string} words
 * @param {Mention} mention
 * @param {MentionContext} context
 */
function renderMention(words, { id, isViewer: me }, { openAgent }) {
  if (!id) return el('mark', { class: 'mention' }, words);
  const button = el('button', { type: 'button', class: 'plain mention', tabindex: -1 }, words);
  button.toggleAttribute('data-viewer', me);
  button.addEventListener('click', () => openAgent(id, words.slice(1)));
  return button;
}
