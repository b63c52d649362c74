// Runs frames: at once after what the visitor does, and at a limited rate for what changes by itself.

// Fades and arrivals need no sixty frames per second: without a GPU, each frame copies the whole canvas several times.
// Whole fractions of a second, so that frames fall together with what is written once per second.
const CALM_INTERVAL_MS = 1000 / 8;
const BUSY_INTERVAL_MS = 1000 / 6;
// Above this number of placements per second the canvas is busy.
const BUSY_RATE = 4;

/** Returns the milliseconds until the next multiple of an interval. Parts of the page that wait for it share a frame. @param {number} interval */
export function untilMultipleOf(interval) {
  return interval - Date.now() % interval;
}

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

  /** The milliseconds between paced frames. */
  get interval() {
    const rate = this.#rate * Math.exp((this.#ratedAt - performance.now()) / 1000);
    return rate > BUSY_RATE ? BUSY_INTERVAL_MS : CALM_INTERVAL_MS;
  }

  /**
   * Returns whether what was drawn at a time may be drawn again: half an interval later, because frames are not in step
   * with the interval.
   * @param {number} since
   * @param {number} now
   */
  isDue(since, now) {
    return now - since >= this.interval / 2;
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

  /** Requests a frame at the next multiple of the interval, or at once if the last one was long ago. */
  requestPaced() {
    if (this.#request || this.#timer) return;
    const { interval } = this;
    if (performance.now() - this.#lastFrame > 2 * interval) this.request();
    else this.#timer = setTimeout(() => this.request(), untilMultipleOf(interval));
  }
}
