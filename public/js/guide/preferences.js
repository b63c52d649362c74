// Settings of the guide that this browser keeps. Private windows may refuse storage: they last as long as the page.

const PREFIX = 'caraplace-guide-';

/**
 * @param {'open' | 'width'} name
 * @returns {string | null}
 */
export function readPreference(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/**
 * @param {'open' | 'width'} name
 * @param {string} value
 */
export function storePreference(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    console.info('this browser keeps nothing for this page');
  }
}
