// The switch between night and day: follows the system until someone chooses.

const systemLight = matchMedia('(prefers-color-scheme: light)');

/** @returns {'light' | 'dark'} */
function current() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return systemLight.matches ? 'light' : 'dark';
}

/** @param {'light' | 'dark'} theme */
function choose(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('theme', theme);
  } catch { /* private windows: the choice lasts as long as the page */ }
}

/** @param {HTMLElement} button */
export function startTheme(button) {
  button.addEventListener('click', () => choose(current() === 'light' ? 'dark' : 'light'));
}
