// Loads the serif after the first view. Later pages use it from their first paint (early.js), out of the browser's cache.

const FACE = '500 1em "EB Garamond"';

/** Shows the serif once it is loaded. */
export async function showSerif() {
  const root = document.documentElement;
  if (root.hasAttribute('data-serif')) return;
  await document.fonts.load(FACE);
  root.toggleAttribute('data-serif', true);
  try {
    localStorage.setItem('caraplace-serif', 'loaded');
  } catch { /* private windows load it on each page */ }
}
