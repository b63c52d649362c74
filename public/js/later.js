// The parts that the canvas page loads soon after its first view, in one module: bundled, it is one file.

export { Plans } from './canvas-plans/plans.js';
export { showEnd } from './canvas/countdown.js';
export { Highlights } from './canvas/highlights.js';
export { MessageCaptions } from './canvas/message-captions.js';
export { NameTags } from './canvas/name-tags.js';
export { showSerif } from './shared/serif.js';
export { replayFirstVisit } from './time/first-visit.js';
export { TimeBar } from './time/time-bar.js';
