// Renders an answer, which is Markdown by a language model, into nodes. What is not known here stays text.

import { ITEM, splitBlocks } from './blocks.js';
import { renderInline } from './inline.js';
import { el } from '../shared/dom.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./types.js').PageActions} PageActions */
/** @typedef {{indent: number, number: string | undefined, text: string}} Item */

const MAX_LIST_DEPTH = 4;
const NESTED_INDENT = 2;

export class Markdown {
  /** The source of each block that is shown. @type {string[]} */ #shown = [];

  /**
   * @param {HTMLElement} node the place of the answer
   * @param {PageActions} actions
   */
  constructor(node, actions) {
    this.node = node;
    this.actions = actions;
  }

  /** Shows a text. Blocks that are shown already stay, with the focus in them. @param {string} text */
  show(text) {
    const blocks = splitBlocks(text);
    const sources = blocks.map(({ kind, lines }) => `${kind}\n${lines.join('\n')}`);
    const changed = sources.findIndex((source, at) => source !== this.#shown[at]);
    const kept = changed < 0 ? sources.length : changed;
    while (this.node.childNodes.length > kept) this.node.lastChild?.remove();
    this.node.append(...blocks.slice(kept).map((block) => this.#renderBlock(block)));
    this.#shown = sources;
  }

  /** @param {Block} block */
  #renderBlock({ kind, lines }) {
    if (kind === 'code') return renderCode(lines);
    if (kind === 'list') return this.#renderList(lines);
    if (kind === 'heading') return el('p', {}, el('strong', {}, ...this.#inline(lines[0].replace(/^[ #]+|[ #]+$/g, ''))));
    if (kind === 'quote') return el('blockquote', {}, ...this.#inline(lines.map((line) => line.replace(/^ *> ?/, '')).join('\n')));
    return el('p', { dir: 'auto' }, ...this.#inline(lines.map((line) => line.trim()).join('\n')));
  }

  /** @param {string} text */
  #inline(text) {
    return renderInline(text, this.actions);
  }

  /** @param {string[]} lines */
  #renderList(lines) {
    const items = readItems(lines);
    const levels = [{ indent: items[0].indent, list: createList(items[0]) }];
    for (const item of items) {
      while (levels.length > 1 && item.indent < levels[levels.length - 1].indent) levels.pop();
      const { indent, list } = levels[levels.length - 1];
      const parent = list.lastElementChild;
      if (parent && item.indent >= indent + NESTED_INDENT && levels.length < MAX_LIST_DEPTH) {
        levels.push({ indent: item.indent, list: createList(item) });
        parent.append(levels[levels.length - 1].list);
      }
      levels[levels.length - 1].list.append(el('li', { dir: 'auto' }, ...this.#inline(item.text)));
    }
    return levels[0].list;
  }
}

/** @param {string[]} lines */
function renderCode(lines) {
  const isClosed = lines.length > 1 && /^ {0,3}(?:```|~~~)/.test(lines[lines.length - 1]);
  return el('pre', { tabindex: 0 }, el('code', {}, lines.slice(1, isClosed ? -1 : undefined).join('\n')));
}

/**
 * Reads the items of a list; other lines go on with the item before them.
 * @param {string[]} lines
 */
function readItems(lines) {
  /** @type {Item[]} */ const items = [];
  for (const line of lines) {
    const found = ITEM.exec(line);
    if (found) items.push({ indent: found[1].length, number: found[2], text: found[3] });
    else if (line.trim()) items[items.length - 1].text += `\n${line.trim()}`;
  }
  return items;
}

/** @param {Item} first */
const createList = ({ number }) => (number === undefined ? el('ul') : el('ol', { start: Number(number) }));
