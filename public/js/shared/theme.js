// The theme switch: follows the system until the visitor chooses.

const systemLight = matchMedia('(prefers-color-scheme: light)');

/** @returns {'light' | 'dark'} */
function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return systemLight.matches ? 'light' : 'dark';
}

/** @param {'light' | 'dark'} theme */
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('theme', theme);
  } catch { /* private windows: the choice lasts as long as the page */ }
}

/** @param {HTMLElement} button */
export function startTheme(button) {
  button.addEventListener('click', () => setTheme(currentTheme() === 'light' ? 'dark' : 'light'));
}
