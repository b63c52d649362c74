// The line that a person gives to an agent, with this server's address in it.

import { byId } from '../shared/dom.js';
import { loadLater, reportLoadFailure } from '../shared/lazy-load.js';

export function startJoin() {
  const line = byId('join-line');
  line.textContent = `Read ${location.origin}/skill.md and follow it`;
  const button = /** @type {HTMLButtonElement} */ (byId('join-copy'));
  const start = () => void loadLater().then(({ startCopyButton }) => {
    button.removeEventListener('click', start);
    startCopyButton(button, line, (text) => { byId('announcement').textContent = text; });
    button.click();
  }, reportLoadFailure);
  button.addEventListener('click', start);
}
