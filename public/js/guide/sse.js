// Parses the text of an event stream.

/** @typedef {{kind: string, data: any}} StreamEvent */

export class EventParser {
  #rest = '';

  /**
   * Returns the events that are complete with the next part of the text.
   * @param {string} text
   * @returns {StreamEvent[]}
   */
  push(text) {
    const blocks = (this.#rest + text).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap(parseBlock);
  }
}

/**
 * Parses one event; comments, which keep the connection open, are none.
 * @param {string} block
 * @returns {StreamEvent[]}
 */
function parseBlock(block) {
  let kind = 'message';
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    const found = /^(event|data): ?(.*)$/.exec(line);
    if (found?.[1] === 'event') kind = found[2];
    if (found?.[1] === 'data') data.push(found[2]);
  }
  return data.length ? [{ kind, data: JSON.parse(data.join('\n')) }] : [];
}
