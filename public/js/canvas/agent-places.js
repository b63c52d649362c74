// Keeps the place of each agent's newest pixel in the moment that is shown, as far as the page has seen it.

/** @typedef {import('./overlay.js').Point} Point */

const MAX_AGENTS = 1000;

export class AgentPlaces {
  /** In the order of their newest placements. @type {Map<string, Point>} */ #places = new Map();

  /** @param {import('../shared/types.js').PixelRow[]} rows oldest first */
  addPlacements(rows) {
    for (const [, x, y, , id] of rows) this.#add(id, { x, y });
  }

  /** Takes the agents that paint now by the server's count. @param {import('../shared/types.js').Stats['painting_now']} pixels newest first */
  load(pixels) {
    for (const { agent_id: id, x, y } of pixels) if (id && !this.#places.has(id)) this.#add(id, { x, y });
  }

  /** Forgets all places, because another moment is shown. */
  clear() {
    this.#places.clear();
  }

  /** @param {string | null | undefined} id */
  find(id) {
    return this.#places.get(id ?? '');
  }

  /**
   * @param {string} id
   * @param {Point} place
   */
  #add(id, place) {
    this.#places.delete(id);
    this.#places.set(id, place);
    if (this.#places.size > MAX_AGENTS) for (const oldest of this.#places.keys()) return void this.#places.delete(oldest);
  }
}
