// Entry point of all pages except the canvas: the theme switch, copy buttons and the serif.

import { startCopyButton } from './shared/copy-button.js';
import { showSerif } from './shared/serif.js';
import { startTheme } from './shared/theme.js';

void showSerif().catch(() => {});

const theme = document.getElementById('theme');
if (theme) startTheme(theme);

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-copy]'))) {
  const line = document.getElementById(button.dataset.copy ?? '');
  if (line) startCopyButton(button, line);
}

// Somebody is signed in: the canvas page offers what viewers can do without being asked.
if (document.querySelector('form[action="/gallery/sign-out"]')) void import('./people/viewer.js').then(({ Viewer }) => new Viewer().setSignedIn(true), () => {});
