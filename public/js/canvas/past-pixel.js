// A pixel as it was at a past moment, from its latest placements and what was said about it.

/** @typedef {import('../shared/types.js').Pixel} Pixel */
/** @typedef {import('../shared/types.js').Story} Story */
/** @typedef {import('../shared/types.js').Why} Why */
/** @typedef {{seq: number, time: number}} ShownMoment  `time` in milliseconds */

// The server answers with so many placements of a pixel at most.
const MAX_PLACEMENTS = 20;

/**
 * Returns what was known of the pixel at a moment. `isUnknown` if it was painted over too often since then.
 * @param {Pixel} pixel
 * @param {Story | null} story
 * @param {ShownMoment} moment
 * @returns {{pixel: Pixel, story: Story | null, isUnknown: boolean}}
 */
export function findPastPixel(pixel, story, { seq, time }) {
  const history = pixel.history.filter((placement) => placement.seq <= seq);
  const [newest] = history;
  const isUnknown = !newest && pixel.history.length >= MAX_PLACEMENTS;
  const unpainted = { x: pixel.x, y: pixel.y, color: 0, agent_id: null, agent_name: null, placed_at: null, seq: null };
  const isBefore = (/** @type {{timestamp: string} | null | undefined} */ message) => Boolean(message && Date.parse(message.timestamp) <= time);
  const intents = (story?.intents ?? []).filter(isBefore);
  // The story is that of the newest placement; of an earlier one only the plan is known.
  const why = newest && newest.seq === pixel.seq ? keepEarlier(story?.why, isBefore) : planOf(newest);
  return { pixel: { ...(newest ?? unpainted), history }, story: { x: pixel.x, y: pixel.y, why, intents }, isUnknown };
}

/**
 * @param {Why | null | undefined} why
 * @param {(message: Why['said']) => boolean} isBefore
 * @returns {Why | null}
 */
function keepEarlier(why, isBefore) {
  if (!why) return null;
  return { ...why, intent: isBefore(why.intent) ? why.intent : null, said: isBefore(why.said) ? why.said : null };
}

/** @param {Pixel['history'][number] | undefined} placement @returns {Why | null} */
function planOf(placement) {
  if (!placement?.plan_id || !placement.plan_title) return null;
  return { exact: true, plan: { id: placement.plan_id, title: placement.plan_title } };
}
