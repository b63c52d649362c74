// The line that a person hands to an agent, with this server's address in it.

import { byId } from './dom.js';

export function startJoin() {
  const line = byId('join-line');
  line.textContent = `Read ${location.origin}/skill.md and follow it`;
  const button = /** @type {HTMLButtonElement} */ (byId('join-copy'));
  button.addEventListener('click', async () => {
    const { startCopy } = await import('./copy.js');
    startCopy(button, line, (text) => { byId('spoken').textContent = text; });
    button.click();
  }, { once: true });
}
