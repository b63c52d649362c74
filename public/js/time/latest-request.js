// Sends only the newest of many requests, one at a time: a newer one replaces the waiting one, and aborts the running one only after seconds.

const ABORT_AFTER_MS = 5000;

/**
 * @template W, A
 */
export class LatestRequest {
  /** @type {W | null} */ #pending = null;
  /** @type {{from: number, abort: AbortController} | null} */ #current = null;

  /**
   * @param {(parameters: W, signal: AbortSignal) => Promise<A>} send
   * @param {(answer: A, parameters: W) => void} handleResponse
   * @param {(error: unknown) => void} handleError
   * @param {number} intervalMs milliseconds between two requests
   */
  constructor(send, handleResponse, handleError, intervalMs) {
    this.send = send;
    this.handleResponse = handleResponse;
    this.handleError = handleError;
    this.intervalMs = intervalMs;
  }

  /** Whether a newer request is waiting. */
  get hasNewer() {
    return this.#pending !== null;
  }

  /** @param {W} parameters */
  request(parameters) {
    this.#pending = parameters;
    if (!this.#current) void this.#run();
    else if (performance.now() - this.#current.from > ABORT_AFTER_MS) this.#current.abort.abort();
  }

  /** Cancels the waiting and the running request. */
  cancel() {
    this.#pending = null;
    this.#current?.abort.abort();
  }

  async #run() {
    while (this.#pending !== null) {
      const parameters = this.#pending;
      this.#pending = null;
      const abort = new AbortController();
      this.#current = { from: performance.now(), abort };
      await this.send(parameters, abort.signal)
        .then((answer) => { if (!abort.signal.aborted) this.handleResponse(answer, parameters); })
        .catch((error) => { if (!abort.signal.aborted) this.handleError(error); });
      if (!abort.signal.aborted) await new Promise((done) => setTimeout(done, this.intervalMs));
    }
    this.#current = null;
  }
}
