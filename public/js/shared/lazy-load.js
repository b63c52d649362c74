// Loads parts that the first view does not need: once, and with a notice to the visitor on failure.

import { el } from './dom.js';

/** @type {Map<string, Promise<unknown>>} */
const stylesheets = new Map();

/**
 * Returns a function that loads at its first call; a failed load is tried again at the next.
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

/** Reports that something the visitor asked for did not load. */
export function reportLoadFailure() {
  showNotice('A part of the page did not load. Try again, or reload the page.');
}

/** Says something over the canvas for a while. @param {string} text */
export function showNotice(text) {
  document.dispatchEvent(new CustomEvent('shownotice', { detail: text }));
}

/**
 * Loads a style sheet that the first view does not need.
 * @param {string} href
 * @returns {Promise<unknown>}
 */
export function loadStylesheet(href) {
  const sheet = stylesheets.get(href) ?? appendStylesheet(href);
  stylesheets.set(href, sheet);
  return sheet;
}

/** @param {string} href */
function appendStylesheet(href) {
  const link = el('link', { rel: 'stylesheet', href });
  return new Promise((done, fail) => {
    link.addEventListener('load', done);
    link.addEventListener('error', () => {
      stylesheets.delete(href);
      link.remove();
      fail(new Error(`${href} did not load`));
    });
    document.head.append(link);
  });
}
