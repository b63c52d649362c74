// Runs frames: at once after what the visitor does, and at a limited rate for what changes by itself.

// Fades and arrivals need no sixty frames per second: without a GPU, each frame copies the whole canvas several times.
const CALM_INTERVAL_MS = 60;
const BUSY_INTERVAL_MS = 120;
// Above this number of placements per second the canvas is busy.
const BUSY_RATE = 4;
// A frame may be this much early: the browser's frames and timers are not in step.
const TOLERANCE_MS = 8;

export class FramePacer {
  #request = 0;
  #timer = 0;
  #lastFrame = -Infinity;
  /** Placements per second, of which older ones count less. */ #rate = 0;
  #ratedAt = 0;

  /** @param {(now: number) => void} run draws a frame */
  constructor(run) {
    this.run = run;
  }

  /** Counts placements: from many on, frames are less frequent. @param {number} count */
  addPlacements(count) {
    const now = performance.now();
    this.#rate = this.#rate * Math.exp((this.#ratedAt - now) / 1000) + count;
    this.#ratedAt = now;
  }

  /** Milliseconds between frames that nobody waits for. */
  get interval() {
    const rate = this.#rate * Math.exp((this.#ratedAt - performance.now()) / 1000);
    return rate > BUSY_RATE ? BUSY_INTERVAL_MS : CALM_INTERVAL_MS;
  }

  /** Returns whether an interval has passed since a time. @param {number} since @param {number} now */
  isDue(since, now) {
    return now - since >= this.interval - TOLERANCE_MS;
  }

  /** Requests the next frame of the browser. */
  request() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#request ||= requestAnimationFrame((now) => {
      this.#request = 0;
      this.#lastFrame = now;
      this.run(now);
    });
  }

  /** Requests a frame that comes an interval after the last one, or at once if that has passed. */
  requestPaced() {
    if (this.#request || this.#timer) return;
    const now = performance.now();
    if (this.isDue(this.#lastFrame, now)) return this.request();
    this.#timer = setTimeout(() => this.request(), this.#lastFrame + this.interval - TOLERANCE_MS - now);
  }
}
