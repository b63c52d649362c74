// Loads the serif after the first view. Later pages use it from their first paint (early.js), out of the browser's cache.

const FACES = ['500 1em "EB Garamond"', 'italic 400 1em "EB Garamond"'];

/** Shows the serif once both of its faces are loaded. */
export async function showSerif() {
  const root = document.documentElement;
  if (root.hasAttribute('data-serif')) return;
  await Promise.all(FACES.map((face) => document.fonts.load(face)));
  root.toggleAttribute('data-serif', true);
  try {
    localStorage.setItem('caraplace-serif', 'loaded');
  } catch { /* private windows load it on each page */ }
}
