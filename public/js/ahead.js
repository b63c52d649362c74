// All that loads when it is first asked for, brought while nobody asks and the server answers: what once failed to load
// is not tried again by every browser before the page is loaded anew.

import './agent-card.js';
import './chat-acts.js';
import './chat-pages.js';
import './chat-tell.js';
import './composer.js';
import './copy.js';
import './follow.js';
import './help.js';
import './inspect.js';
import './looks.js';
import './minimap.js';
import './pixel-card.js';
import './report.js';
import './time-machine.js';
import { style } from './lazy.js';

for (const name of ['composer', 'inspect', 'report']) void style(`/css/${name}.css`).catch(() => {});
