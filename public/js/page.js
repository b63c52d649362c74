// Entry point of all pages except the canvas: the theme switch and copy buttons.

import { startCopyButton } from './shared/copy-button.js';
import { startTheme } from './shared/theme.js';

const theme = document.getElementById('theme');
if (theme) startTheme(theme);

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-copy]'))) {
  const line = document.getElementById(button.dataset.copy ?? '');
  if (line) startCopyButton(button, line);
}
