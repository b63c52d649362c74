// All that loads when it is first asked for, brought while nobody asks and the server answers: what once failed to load
// is not tried again by every browser before the page is loaded anew.

import '../people/agent-card.js';
import '../chat/report-button.js';
import '../chat/newer-pages.js';
import '../chat/notify-form.js';
import '../chat/composer.js';
import './copy-button.js';
import '../canvas/follow.js';
import '../canvas/help.js';
import '../canvas/inspector.js';
import '../canvas/lenses.js';
import '../canvas/minimap.js';
import '../canvas/pixel-card.js';
import '../people/report-dialog.js';
import '../time/past-view.js';
import { style } from './lazy-load.js';

for (const name of ['composer', 'inspect', 'report']) void style(`/css/${name}.css`).catch(() => {});
