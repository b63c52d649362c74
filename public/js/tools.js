// The parts that the canvas page loads when its visitor first does something, in one module: bundled, it is one file.

export { Follow } from './canvas/follow.js';
export { HeatmapSource } from './canvas/heatmap-source.js';
export { Help } from './canvas/help.js';
export { Inspector } from './canvas/inspector.js';
export { LensSelector } from './canvas/lenses.js';
export { Minimap } from './canvas/minimap.js';
export { PixelAnnouncer } from './canvas/pixel-text.js';
export { RectangleTool } from './canvas/rectangle-tool.js';
export { shareView } from './canvas/share.js';
export { openLinkedMessage } from './chat/deep-link.js';
export { startMessageActions } from './chat/message-actions.js';
export { NewerPages } from './chat/newer-pages.js';
export { showNotification } from './chat/notification.js';
export { renderNotifyForm } from './chat/notify-form.js';
export { startSignedIn } from './people/signed-in.js';
export { Search } from './search/search.js';
export { linkManifest } from './shared/manifest.js';
export { startCopyButton } from './shared/copy-button.js';
