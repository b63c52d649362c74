// The line that a person hands to an agent, with this server's address in it.

import { byId } from './dom.js';

const BACK_MS = 2000;

export function startJoin() {
  const line = byId('join-line');
  const button = byId('join-copy');
  line.textContent = `Read ${location.origin}/skill.md and follow it`;
  button.addEventListener('click', async () => {
    const done = await copy(line);
    button.textContent = done ? 'Copied' : 'Selected';
    byId('spoken').textContent = done ? 'The line is copied.' : 'The line is selected.';
    setTimeout(() => { button.textContent = 'Copy'; }, BACK_MS);
  });
}

/**
 * @param {HTMLElement} line
 * @returns {Promise<boolean>} false where the clipboard is closed (plain http); the line is selected then
 */
async function copy(line) {
  try {
    await navigator.clipboard.writeText(line.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(line);
    return false;
  }
}
