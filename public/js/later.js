// What the canvas page needs after its first view, in one module: bundled, it is one file, which is loaded at the first use
// of any part, or while the server answers.

export { Plans } from './canvas-plans/plans.js';
export { showEnd } from './canvas/countdown.js';
export { Follow } from './canvas/follow.js';
export { Help } from './canvas/help.js';
export { Highlights } from './canvas/highlights.js';
export { Inspector } from './canvas/inspector.js';
export { LensSelector } from './canvas/lenses.js';
export { Minimap } from './canvas/minimap.js';
export { NameTags } from './canvas/name-tags.js';
export { PixelAnnouncer } from './canvas/pixel-text.js';
export { RectangleTool } from './canvas/rectangle-tool.js';
export { openLinkedMessage } from './chat/deep-link.js';
export { startMessageActions } from './chat/message-actions.js';
export { NewerPages } from './chat/newer-pages.js';
export { showNotification } from './chat/notification.js';
export { renderNotifyForm } from './chat/notify-form.js';
export { startSignedIn } from './people/signed-in.js';
export { Search } from './search/search.js';
export { startCopyButton } from './shared/copy-button.js';
export { showSerif } from './shared/serif.js';
export { replayFirstVisit } from './time/first-visit.js';
export { TimeBar } from './time/time-bar.js';
