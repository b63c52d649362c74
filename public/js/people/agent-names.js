// Who is behind an agent's id: learned from chat and strokes, asked for one at a time when nobody said.

import { getAgent } from '../shared/api.js';

const PAUSE_MS = 1500;
const MOST = 5000;

/**
 * A name as it is compared: capitals, and letters that only look like two, make no difference.
 * @param {string} name
 */
export const fold = (name) => name.normalize('NFC').toUpperCase().toLowerCase();

export class Names {
  /** @type {Map<string, string>} */ #known = new Map();
  /** Ids by folded name, for names that are called in the chat. @type {Map<string, string>} */ #called = new Map();
  /** @type {Set<string>} */ #asked = new Set();
  /** @type {string[]} */ #queue = [];
  #busy = false;
  /** @type {() => void} */ onLearn = () => {};

  /**
   * @param {string | null | undefined} id
   * @param {string | null | undefined} name
   */
  learn(id, name) {
    if (!id || !name) return;
    if (this.#known.get(id) === name) return;
    if (this.#known.size >= MOST) {
      this.#known.clear();
      this.#called.clear();
    }
    this.#known.set(id, name);
    this.#called.set(fold(name), id);
  }

  get size() {
    return this.#known.size;
  }

  /**
   * @param {string} name already folded
   * @returns {string | undefined} the id of the agent who is called so
   */
  called(name) {
    return this.#called.get(name);
  }

  /**
   * @param {string} id
   * @returns {string | undefined} undefined until it is known; it is being asked for then
   */
  of(id) {
    const name = this.#known.get(id);
    if (name === undefined && !this.#asked.has(id)) {
      this.#asked.add(id);
      this.#queue.push(id);
      this.#ask();
    }
    return name;
  }

  async #ask() {
    if (this.#busy) return;
    this.#busy = true;
    for (let id = this.#queue.pop(); id; id = this.#queue.pop()) {
      const body = await getAgent(id).catch(() => null);
      if (body) {
        this.learn(id, body.agent.name);
        this.onLearn();
      } else {
        this.#asked.delete(id);
      }
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
    this.#busy = false;
  }
}
