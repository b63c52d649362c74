// Loads the heatmap of the shown moment: from the server for the live canvas, computed here for a past moment.

import { getHeatmap } from '../shared/api.js';
import { PastHeatmaps } from '../time/past-heatmaps.js';

/** @typedef {import('../shared/types.js').Heatmap} Heatmap */
/** @typedef {'painter' | 'age' | 'contested'} Metric */

export class HeatmapSource {
  /** Created with the first heatmap of the past. @type {PastHeatmaps | null} */ #past = null;

  /** @param {import('./canvas-state.js').CanvasState} state */
  constructor(state) {
    this.state = state;
  }

  /** Forgets the past, because the season may be another one. */
  reset() {
    this.#past = null;
  }

  /**
   * Returns the heatmap; `null` if it did not load, `'too large'` if the season is too long to compute it for a past moment.
   * @param {Metric} by
   * @returns {Promise<Heatmap | 'too large' | null>}
   */
  async fetch(by) {
    const { shownSeq, shownTime } = this.state;
    if (shownSeq === null) return getHeatmap(by).catch(() => null);
    try {
      this.#past ??= new PastHeatmaps(this.state);
      return await this.#past.get(by, shownSeq, shownTime ?? 0);
    } catch (error) {
      return error instanceof Error && error.name === 'TooManyEvents' ? 'too large' : null;
    }
  }

  /** Returns a clock of the shown time, in seconds. */
  createClock() {
    const { state } = this;
    return state.shownSeq === null ? () => performance.now() / 1000 : () => (state.shownTime ?? 0) / 1000;
  }
}
