// The stream of a turn: reads its events, and reconnects to the same turn until its last event has come.

import { openStream } from './guide-api.js';
import { EventParser } from './sse.js';
import { ApiError } from '../shared/api.js';

/**
 * @typedef {object} StreamHandlers
 * @property {() => void} restart the events of the turn come again from its beginning
 * @property {(kind: string, data: any) => void} event
 * @property {(error: any) => void} interrupted the connection is cut, or refused with this error; a retry follows
 * @property {(error: ApiError) => void} fail no retry follows
 */

// The server sends a comment every fifteen seconds.
const SILENCE_MS = 45000;
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 10000;
const MAX_FAILURES = 6;
const LAST_EVENTS = ['done', 'error'];

export class TurnStream {
  #abort = new AbortController();
  #failures = 0;
  #isComplete = false;

  /**
   * @param {string} messageId the id of the question
   * @param {StreamHandlers} handlers
   */
  constructor(messageId, handlers) {
    this.messageId = messageId;
    this.handlers = handlers;
    void this.#run();
  }

  /** Stops reading. The turn itself goes on. */
  close() {
    this.#isComplete = true;
    this.#abort.abort();
  }

  async #run() {
    while (!this.#isComplete) {
      const error = await this.#read().then(() => null, (/** @type {any} */ failure) => failure);
      if (this.#isComplete) return;
      if (!canRetry(error) || ++this.#failures > MAX_FAILURES) {
        this.#isComplete = true;
        return this.handlers.fail(error instanceof ApiError ? error : new ApiError(0, 'unreachable', ''));
      }
      this.handlers.interrupted(error);
      await new Promise((done) => setTimeout(done, this.#pauseAfter(error)));
    }
  }

  /** Returns the milliseconds before the next try. @param {any} error */
  #pauseAfter(error) {
    const pause = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** (this.#failures - 1)) * (0.5 + Math.random() / 2);
    return Math.max(pause, (error?.retryAfter ?? 0) * 1000);
  }

  /** Reads one connection until it ends. */
  async #read() {
    this.#abort = new AbortController();
    const startedAt = performance.now();
    const response = await this.#unlessSilent(openStream(this.messageId, this.#abort.signal));
    if (!response.ok || !response.body) throw await this.#unlessSilent(readError(response));
    const reader = response.body.getReader();
    const [decoder, parser] = [new TextDecoder(), new EventParser()];
    let isFirst = true;
    for (;;) {
      const { done, value } = await this.#unlessSilent(reader.read());
      if (done) return;
      // A connection that only replays and breaks again is a failure; one that lasts is none.
      if (performance.now() - startedAt > SILENCE_MS) this.#failures = 0;
      const events = parser.push(decoder.decode(value, { stream: true }));
      if (events.length && isFirst) {
        isFirst = false;
        this.handlers.restart();
      }
      if (events.some(({ kind, data }) => this.#handle(kind, data))) return reader.cancel();
    }
  }

  /**
   * Waits for the next part; a connection that is silent for too long is cut.
   * @template T
   * @param {Promise<T>} part
   * @returns {Promise<T>}
   */
  async #unlessSilent(part) {
    const timer = setTimeout(() => this.#abort.abort(), SILENCE_MS);
    return part.finally(() => clearTimeout(timer));
  }

  /**
   * Returns true for the last event.
   * @param {string} kind
   * @param {any} data
   */
  #handle(kind, data) {
    if (this.#isComplete) return true;
    this.#isComplete = LAST_EVENTS.includes(kind);
    this.handlers.event(kind, data);
    return this.#isComplete;
  }
}

/** Reads a refusal, with its whole answer and the seconds to wait. @param {Response} response */
async function readError(response) {
  const body = await response.json().catch(() => null);
  const retryAfter = Number(response.headers.get('Retry-After')) || 0;
  return Object.assign(new ApiError(response.status, body?.code ?? 'unknown', body?.detail ?? ''), { retryAfter, body });
}

/** Returns whether another try may help: after a cut connection, and while the server is busy. @param {any} error */
function canRetry(error) {
  return !(error instanceof ApiError) || (error.code !== 'budget_spent' && [429, 502, 503, 504].includes(error.status));
}
