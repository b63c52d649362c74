// Says in a sentence what a card shows, for screen readers.

import { describePixel, describePlace } from './pixel-text.js';
import { describePaint } from './rectangle-contents.js';
import { formatSize } from './region.js';
import { beforeTag, formatCount } from '../shared/format.js';

/**
 * @param {any} answer
 * @param {import('./canvas-state.js').CanvasState} state
 */
export function describeAnswer(answer, state) {
  if (!answer) return 'This did not load. Try again.';
  if (answer.region) return `${formatSize(answer.region)} pixels. ${describePaint(answer)}`;
  if (!answer.agent) return answer.moment ? `${describePlace(state, answer.pixel, answer.pixel.color)}${describePastPainter(answer)}` : describePixel(state, answer.pixel);
  const { name, pixels_placed: count } = answer.agent;
  return count === 1 ? `${name}: 1 pixel placed` : `${name}: ${formatCount(count)} pixels placed`;
}

/** @param {{pixel: import('../shared/types.js').Pixel, isUnknown: boolean, moment: number}} answer */
function describePastPainter({ pixel: { agent_name: name, placed_at: at }, isUnknown, moment }) {
  if (name) return `, painted by ${name}, ${beforeTag(at, moment).textContent}`;
  return isUnknown ? ', its painter at this moment is not known' : ', not painted yet';
}
