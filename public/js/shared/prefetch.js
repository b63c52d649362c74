// Imports all modules that load on first use while the server answers: browsers do not retry a module that failed to
// load until the page is reloaded.

import '../canvas-plans/plans.js';
import '../canvas/follow.js';
import '../canvas/help.js';
import '../canvas/inspector.js';
import '../canvas/lenses.js';
import '../canvas/minimap.js';
import '../canvas/past-pixel.js';
import '../canvas/pixel-card.js';
import '../canvas/pixel-text.js';
import '../canvas/rectangle-card.js';
import '../canvas/rectangle-tool.js';
import '../chat/deep-link.js';
import '../chat/message-actions.js';
import '../chat/newer-pages.js';
import '../chat/notify-form.js';
import '../people/agent-card.js';
import '../people/notification-settings.js';
import '../people/report-dialog.js';
import '../people/signed-in.js';
import '../people/viewer-tools.js';
import '../search/search.js';
import './copy-button.js';
import { loadStylesheet } from './lazy-load.js';
import '../time/past-heatmaps.js';
import '../time/past-view.js';

for (const name of ['canvas-card', 'canvas-plans', 'composer', 'inspect', 'rectangle', 'report', 'search', 'viewer']) void loadStylesheet(`/css/${name}.css`).catch(() => {});
