// Loads parts that the first view does not need: once, and with a notice to the visitor on failure.

import { el } from './dom.js';
import { translate } from './translate.js';

/** @typedef {typeof import('../later.js')} Later */
/** @typedef {typeof import('../tools.js')} Tools */
/** @typedef {typeof import('../guide/guide.js')} GuidePart */

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
  showNotice(translate('A part of the page did not load. Try again, or reload the page.'));
}

/** Says something over the canvas for a while. @param {string} text */
export function showNotice(text) {
  document.dispatchEvent(new CustomEvent('shownotice', { detail: text }));
}

/** Loads what the canvas page needs soon after its first view. @type {() => Promise<Later>} */
export const loadLater = partLoader('later');
/** Loads what the canvas page needs when its visitor does something. @type {() => Promise<Tools>} */
export const loadTools = partLoader('tools');
/** Loads the guide. @type {() => Promise<GuidePart>} */
export const loadGuide = partLoader('guide');

/**
 * Returns a function that loads a module with its styles, whose addresses the page's body names.
 * @param {string} name
 * @returns {() => Promise<any>}
 */
function partLoader(name) {
  let tries = 0;
  return once(async () => {
    const { [`${name}Script`]: script = '', [`${name}Styles`]: styles = '' } = document.body.dataset;
    // Browsers do not retry a module that failed to load: it needs another address.
    const address = tries++ ? `${script}?${tries}` : script;
    const [part] = await Promise.all([import(address), appendStylesheet(styles)]);
    return part;
  });
}

/** @param {string} href */
function appendStylesheet(href) {
  const loaded = document.head.querySelector(`link[href="${href}"]`);
  if (loaded) return Promise.resolve();
  const link = el('link', { rel: 'stylesheet', href });
  return new Promise((done, fail) => {
    link.addEventListener('load', done);
    link.addEventListener('error', () => {
      link.remove();
      fail(new Error(`${href} did not load`));
    });
    document.head.append(link);
  });
}
