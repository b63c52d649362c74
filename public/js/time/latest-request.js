// Asks for the newest wish only: one question at a time, what was overtaken is not asked, what has been asked is waited for, up to seconds.

const PATIENCE_MS = 5000;

/**
 * @template W, A
 */
export class Newest {
  /** @type {W | null} */ #wish = null;
  /** @type {{from: number, abort: AbortController} | null} */ #asking = null;

  /**
   * @param {(wish: W, signal: AbortSignal) => Promise<A>} ask
   * @param {(answer: A, wish: W) => void} take
   * @param {(error: unknown) => void} fail
   * @param {number} pause milliseconds between two questions
   */
  constructor(ask, take, fail, pause) {
    this.ask = ask;
    this.take = take;
    this.fail = fail;
    this.pause = pause;
  }

  /** Whether a newer wish than the one in hand waits. */
  get overtaken() {
    return this.#wish !== null;
  }

  /** @param {W} wish */
  want(wish) {
    this.#wish = wish;
    if (!this.#asking) void this.#go();
    else if (performance.now() - this.#asking.from > PATIENCE_MS) this.#asking.abort.abort();
  }

  /** What was wished for is not wanted any more. */
  forget() {
    this.#wish = null;
    this.#asking?.abort.abort();
  }

  async #go() {
    while (this.#wish !== null) {
      const wish = this.#wish;
      this.#wish = null;
      const abort = new AbortController();
      this.#asking = { from: performance.now(), abort };
      await this.ask(wish, abort.signal)
        .then((answer) => { if (!abort.signal.aborted) this.take(answer, wish); })
        .catch((error) => { if (!abort.signal.aborted) this.fail(error); });
      if (!abort.signal.aborted) await new Promise((done) => setTimeout(done, this.pause));
    }
    this.#asking = null;
  }
}
