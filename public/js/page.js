// What a page beside the canvas needs a script for: the switch of the wall, and lines to copy.

import { startCopy } from './shared/copy-button.js';
import { startTheme } from './shared/theme.js';

const theme = document.getElementById('theme');
if (theme) startTheme(theme);

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-copy]'))) {
  const line = document.getElementById(button.dataset.copy ?? '');
  if (line) startCopy(button, line);
}
