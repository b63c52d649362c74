// The event stream: opens, resumes by number, counts for holes, and comes back by itself after a pause that grows.

/** @typedef {import('./types.js').Hello} Hello */

/**
 * @typedef {object} Handlers
 * @property {() => number | null} resumeFrom  last number applied, or null to start at the head
 * @property {(hello: Hello) => void} hello
 * @property {(kind: string, data: any) => void} event  called in number order, never twice for one number
 * @property {(spectators: number, live: boolean) => void} presence  not live: the server has lost its database
 * @property {(why: string) => void} lost  numbers are missing for good: the state must be loaded anew
 * @property {() => void} down  the line is cut; a retry is planned
 */

const KINDS = ['pixels', 'chat', 'reaction', 'hidden', 'restored', 'season'];
const HELLO_WITHIN_MS = 10000;
const STEADY_AFTER_MS = 10000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 12000;

export class LiveStream {
  /** @type {EventSource | null} */ #source = null;
  #failures = 0;
  #retry = 0;
  #patience = 0;
  #steady = 0;
  /** Highest number seen on this line; null before hello. @type {number | null} */
  last = null;

  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
  }

  open() {
    this.close();
    const since = this.handlers.resumeFrom();
    this.last = since;
    const source = new EventSource(since === null ? '/api/events' : `/api/events?since=${since}`);
    this.#source = source;
    source.onerror = () => this.fail();
    this.#listen(source, 'hello', (data) => this.#greeted(data));
    this.#listen(source, 'presence', (data) => this.handlers.presence(data.spectators, data.live !== false));
    this.#listen(source, 'reset', () => this.#lose('the server asked for a reload'));
    for (const kind of KINDS) this.#listen(source, kind, (data) => this.#numbered(kind, data));
    // A proxy may accept the request and then say nothing: silence before hello is a failure too.
    this.#patience = setTimeout(() => this.fail(), HELLO_WITHIN_MS);
  }

  close() {
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#retry);
    clearTimeout(this.#patience);
    clearTimeout(this.#steady);
  }

  /** Closes and plans a retry; EventSource's own retry has no growing pause and cannot carry `since`. */
  fail() {
    this.close();
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    this.#retry = setTimeout(() => this.open(), pause * (0.5 + Math.random() / 2));
    this.handlers.down();
  }

  /** Someone asked, or the network came back: do not wait any longer. */
  retryNow() {
    this.#failures = 0;
    this.open();
  }

  /**
   * @param {EventSource} source
   * @param {string} kind
   * @param {(data: any) => void} take
   */
  #listen(source, kind, take) {
    source.addEventListener(kind, (event) => {
      if (source !== this.#source) return;
      try {
        take(JSON.parse(/** @type {MessageEvent} */ (event).data));
      } catch (error) {
        // One frame that cannot be read is a hole like any other.
        console.error('unreadable event', kind, error);
        this.#lose('an event could not be read');
      }
    });
  }

  /** @param {Hello} hello */
  #greeted(hello) {
    clearTimeout(this.#patience);
    this.#steady = setTimeout(() => { this.#failures = 0; }, STEADY_AFTER_MS);
    if (this.last === null) this.last = hello.head;
    if (hello.head < this.last) return this.#lose('the numbers went back');
    this.handlers.hello(hello);
  }

  /**
   * @param {string} kind
   * @param {any} data
   */
  #numbered(kind, data) {
    if (kind === 'pixels') {
      const rows = data.filter((/** @type {number[]} */ row) => this.#follows(row[0]));
      if (this.#source && rows.length) this.handlers.event(kind, rows);
    } else if (this.#follows(data.seq) && this.#source) {
      this.handlers.event(kind, data);
    }
  }

  /**
   * True when `seq` is the next number; repeats are dropped, a hole ends this line.
   * @param {number} seq
   */
  #follows(seq) {
    if (this.last === null || !this.#source) return false;
    if (seq <= this.last) return false;
    if (seq !== this.last + 1) {
      this.#lose(`${this.last} was followed by ${seq}`);
      return false;
    }
    this.last = seq;
    return true;
  }

  /** @param {string} why */
  #lose(why) {
    this.handlers.lost(why);
    this.fail();
  }
}
