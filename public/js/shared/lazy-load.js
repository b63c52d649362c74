// Brings what is not part of the first view: once, and with a word to the visitor where it does not come.

import { el } from './dom.js';

/** @type {Map<string, Promise<unknown>>} */
const sheets = new Map();

/**
 * Loads once, at the first call; what failed is tried again at the next.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {() => Promise<T>}
 */
export function once(load) {
  /** @type {Promise<T> | null} */ let loading = null;
  return () => (loading ??= load().catch((error) => {
    loading = null;
    throw error;
  }));
}

/** What somebody asked for has not come. */
export function missed() {
  document.dispatchEvent(new Event('missed'));
}

/**
 * A style sheet that is not needed at first; it counts when this is done.
 * @param {string} href
 * @returns {Promise<unknown>}
 */
export function style(href) {
  const sheet = sheets.get(href) ?? bring(href);
  sheets.set(href, sheet);
  return sheet;
}

/** @param {string} href */
function bring(href) {
  const link = el('link', { rel: 'stylesheet', href });
  return new Promise((done, fail) => {
    link.addEventListener('load', done);
    link.addEventListener('error', () => {
      sheets.delete(href);
      link.remove();
      fail(new Error(`${href} did not load`));
    });
    document.head.append(link);
  });
}
