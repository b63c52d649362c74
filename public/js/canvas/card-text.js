// Says in a sentence what a card shows, for screen readers.

import { describePixel, describePlace } from './pixel-text.js';
import { describePaint } from './rectangle-contents.js';
import { formatSize } from './region.js';
import { beforeTag, formatCount } from '../shared/format.js';
import { translate } from '../shared/translate.js';

/**
 * @param {any} answer
 * @param {import('./canvas-state.js').CanvasState} state
 */
export function describeAnswer(answer, state) {
  if (!answer) return translate('This did not load. Try again.');
  if (answer.region) return `${translate('{size} pixels', { size: formatSize(answer.region) })}. ${describePaint(answer)}`;
  if (!answer.agent) return answer.moment ? describePastPixel(answer, state) : describePixel(state, answer.pixel);
  const { name, pixels_placed: count } = answer.agent;
  return translate(count === 1 ? '{name}: 1 pixel placed' : '{name}: {count} pixels placed', { name, count: formatCount(count) });
}

/**
 * @param {{pixel: import('../shared/types.js').Pixel, isUnknown: boolean, moment: number}} answer
 * @param {import('./canvas-state.js').CanvasState} state
 */
function describePastPixel({ pixel, isUnknown, moment }, state) {
  const { color, agent_name: name, placed_at: at } = pixel;
  const place = describePlace(state, pixel, color);
  if (name) return translate('{place}, painted by {name}, {time}', { place, name, time: beforeTag(at, moment).textContent ?? '' });
  return translate(isUnknown ? '{place}, its painter at this moment is not known' : '{place}, not painted yet', { place });
}
