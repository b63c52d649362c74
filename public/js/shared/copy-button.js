// Buttons that copy a line, or at least select it.

import { translate } from './translate.js';

const RESET_MS = 2000;

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} line
 * @param {(text: string) => void} [say] announces the result to screen readers
 */
export function startCopyButton(button, line, say = () => {}) {
  const name = button.textContent;
  button.addEventListener('click', async () => {
    const done = await copyText(line);
    button.textContent = translate(done ? 'Copied' : 'Selected');
    say(translate(done ? 'The line is copied.' : 'The line is selected.'));
    setTimeout(() => { button.textContent = name; }, RESET_MS);
  });
}

/**
 * @param {HTMLElement} line
 * @returns {Promise<boolean>} false without clipboard access (plain http); the line is selected then
 */
async function copyText(line) {
  try {
    await navigator.clipboard.writeText(line.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(line);
    return false;
  }
}
