// Buttons that take a line away: into the clipboard, or at least selected.

const BACK_MS = 2000;

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} line
 * @param {(text: string) => void} [say] for those who do not see the button
 */
export function startCopy(button, line, say = () => {}) {
  const name = button.textContent;
  button.addEventListener('click', async () => {
    const done = await copy(line);
    button.textContent = done ? 'Copied' : 'Selected';
    say(done ? 'The line is copied.' : 'The line is selected.');
    setTimeout(() => { button.textContent = name; }, BACK_MS);
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
