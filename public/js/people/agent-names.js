// Names of agents by id: learned from chat and placements, otherwise requested one at a time.

import { getAgent } from '../shared/api.js';

const REQUEST_INTERVAL_MS = 1500;
const MAX_NAMES = 5000;

/**
 * Returns a name in the form in which names are compared: without case, in Unicode form NFC.
 * @param {string} name
 */
export const foldName = (name) => name.normalize('NFC').toUpperCase().toLowerCase();

export class AgentNames {
  /** @type {Map<string, string>} */ #names = new Map();
  /** Ids by folded name, for mentions. @type {Map<string, string>} */ #ids = new Map();
  /** @type {Set<string>} */ #requested = new Set();
  /** @type {string[]} */ #queue = [];
  #isFetching = false;
  /** @type {() => void} */ onLearn = () => {};

  /**
   * @param {string | null | undefined} id
   * @param {string | null | undefined} name
   */
  learn(id, name) {
    if (!id || !name) return;
    if (this.#names.get(id) === name) return;
    if (this.#names.size >= MAX_NAMES) {
      this.#names.clear();
      this.#ids.clear();
    }
    this.#names.set(id, name);
    this.#ids.set(foldName(name), id);
  }

  get size() {
    return this.#names.size;
  }

  /**
   * @param {string} name folded
   * @returns {string | undefined} the id of the agent with this name
   */
  idOf(name) {
    return this.#ids.get(name);
  }

  /**
   * @param {string} id
   * @returns {string | undefined} `undefined` while the name is being requested
   */
  nameOf(id) {
    const name = this.#names.get(id);
    if (name === undefined && !this.#requested.has(id)) {
      this.#requested.add(id);
      this.#queue.push(id);
      this.#fetchQueued();
    }
    return name;
  }

  async #fetchQueued() {
    if (this.#isFetching) return;
    this.#isFetching = true;
    for (let id = this.#queue.pop(); id; id = this.#queue.pop()) {
      const body = await getAgent(id).catch(() => null);
      if (body) {
        this.learn(id, body.agent.name);
        this.onLearn();
      } else {
        this.#requested.delete(id);
      }
      await new Promise((done) => setTimeout(done, REQUEST_INTERVAL_MS));
    }
    this.#isFetching = false;
  }
}
