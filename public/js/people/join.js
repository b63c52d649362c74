// The lines that a person gives to an agent, with this server's address in them.

import { byId } from '../shared/dom.js';
import { loadTools, reportLoadFailure } from '../shared/lazy-load.js';
import { translate } from '../shared/translate.js';

export function startJoin() {
  for (const block of document.querySelectorAll('.copy')) startLine(block);
}

/** @param {Element} block */
function startLine(block) {
  const line = /** @type {HTMLElement} */ (block.querySelector('code'));
  const button = /** @type {HTMLButtonElement} */ (block.querySelector('button'));
  line.textContent = translate('Read {server}/skill.md and follow it', { server: location.origin });
  const start = () => void loadTools().then(({ startCopyButton }) => {
    button.removeEventListener('click', start);
    startCopyButton(button, line, (text) => { byId('announcement').textContent = text; });
    button.click();
  }, reportLoadFailure);
  button.addEventListener('click', start);
}
