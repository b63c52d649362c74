// The event stream: connects, resumes by sequence number, detects gaps, and reconnects with growing delays.

/** @typedef {import('./types.js').Hello} Hello */

/**
 * @typedef {object} Handlers
 * @property {() => number | null} resumeFrom last sequence number applied, or `null` to start at the head
 * @property {(hello: Hello) => void} hello
 * @property {(kind: string, data: any) => void} event called in order, once per sequence number, and for changes without one
 * @property {(spectators: number, live: boolean) => void} presence `live` is false if the server has lost its database
 * @property {(why: string) => void} gap events are missing for good: the state must be loaded again
 * @property {() => void} disconnected the connection is cut; a retry is scheduled
 */

const EVENT_KINDS = ['pixels', 'chat', 'reaction', 'edited', 'hidden', 'restored', 'intent', 'plan', 'season'];
// Changes of state without a number: they are not sent again after a reconnection.
const UNNUMBERED_KINDS = ['folded', 'settings'];
const HELLO_TIMEOUT_MS = 10000;
// A stream that is silent for so many intervals of its heartbeat is dead, however open its connection looks.
const MAX_MISSED_HEARTBEATS = 2.2;
const STABLE_AFTER_MS = 10000;
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 12000;

export class LiveStream {
  /** @type {EventSource | null} */ #source = null;
  #failures = 0;
  #retryTimer = 0;
  #helloTimer = 0;
  #stableTimer = 0;
  #silenceTimer = 0;
  /** The longest silence of a stream that is alive, in milliseconds; 0 if the server has named none. */ #maxSilence = 0;
  /** Highest sequence number received on this connection; `null` before hello. @type {number | null} */
  lastSeq = null;

  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
  }

  open() {
    this.close();
    const since = this.handlers.resumeFrom();
    this.lastSeq = since;
    const source = new EventSource(since === null ? '/api/events' : `/api/events?since=${since}`);
    this.#source = source;
    source.onerror = () => this.fail();
    this.#listen(source, 'hello', (data) => this.#handleHello(data));
    this.#listen(source, 'presence', (data) => this.handlers.presence(data.spectators, data.live !== false));
    this.#listen(source, 'reset', () => this.#handleGap('the server asked for a reload'));
    for (const kind of UNNUMBERED_KINDS) this.#listen(source, kind, (data) => this.handlers.event(kind, data));
    for (const kind of EVENT_KINDS) this.#listen(source, kind, (data) => this.#handleNumbered(kind, data));
    // A proxy may accept the request and then send nothing: silence before hello is a failure too.
    this.#helloTimer = setTimeout(() => this.fail(), HELLO_TIMEOUT_MS);
  }

  close() {
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#helloTimer);
    clearTimeout(this.#stableTimer);
    clearTimeout(this.#silenceTimer);
    this.#maxSilence = 0;
  }

  /** Closes and schedules a retry; EventSource's own retry has no growing delay and cannot carry `since`. */
  fail() {
    this.close();
    const pause = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** this.#failures++);
    this.#retryTimer = setTimeout(() => this.open(), pause * (0.5 + Math.random() / 2));
    this.handlers.disconnected();
  }

  /** Reconnects at once because the visitor asked for it or the network is back. */
  retryNow() {
    this.#failures = 0;
    this.open();
  }

  /** Waits for the next event; without one in time, the server hangs. */
  #expectMore() {
    clearTimeout(this.#silenceTimer);
    if (this.#maxSilence) this.#silenceTimer = setTimeout(() => this.fail(), this.#maxSilence);
  }

  /**
   * @param {EventSource} source
   * @param {string} kind
   * @param {(data: any) => void} take
   */
  #listen(source, kind, take) {
    source.addEventListener(kind, (event) => {
      if (source !== this.#source) return;
      this.#expectMore();
      try {
        take(JSON.parse(/** @type {MessageEvent} */ (event).data));
      } catch (error) {
        // An event that cannot be parsed is a gap like any other.
        console.error('unreadable event', kind, error);
        this.#handleGap('an event could not be read');
      }
    });
  }

  /** @param {Hello} hello */
  #handleHello(hello) {
    clearTimeout(this.#helloTimer);
    this.#stableTimer = setTimeout(() => { this.#failures = 0; }, STABLE_AFTER_MS);
    this.#maxSilence = 1000 * MAX_MISSED_HEARTBEATS * (hello.heartbeat_seconds ?? 0);
    this.#expectMore();
    if (this.lastSeq === null) this.lastSeq = hello.head;
    if (hello.head < this.lastSeq) return this.#handleGap('the numbers went back');
    this.handlers.hello(hello);
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #handleNumbered(kind, data) {
    if (kind === 'pixels') {
      const rows = data.filter((/** @type {number[]} */ row) => this.#advanceTo(row[0]));
      if (this.#source && rows.length) this.handlers.event(kind, rows);
    } else if (this.#isUncounted(data.seq) || (this.#advanceTo(data.seq) && this.#source)) {
      this.handlers.event(kind, data);
    }
  }

  /**
   * Returns whether an event has taken no number of its own: it carries that of an earlier event. Applying one twice
   * changes nothing.
   * @param {number} seq
   */
  #isUncounted(seq) {
    return this.#source !== null && this.lastSeq !== null && seq <= this.lastSeq;
  }

  /**
   * Returns whether `seq` is the next number and advances to it; repeats are dropped, a gap ends the connection.
   * @param {number} seq
   */
  #advanceTo(seq) {
    if (this.lastSeq === null || !this.#source) return false;
    if (seq <= this.lastSeq) return false;
    if (seq !== this.lastSeq + 1) {
      this.#handleGap(`${this.lastSeq} was followed by ${seq}`);
      return false;
    }
    this.lastSeq = seq;
    return true;
  }

  /** @param {string} why */
  #handleGap(why) {
    this.handlers.gap(why);
    this.fail();
  }
}
