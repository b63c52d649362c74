// Texts in the language of the page. The key of a text is the text in English; `public/words` has a catalogue for each other
// language, whose address the page's document names.

/** The time after which the page goes on in English, in milliseconds. */
const CATALOGUE_TIMEOUT = 10e3;

/**
 * Reads a catalogue; `null` if that fails.
 * @param {string} address
 * @returns {Promise<Record<string, string> | null>}
 */
async function readCatalogue(address) {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(CATALOGUE_TIMEOUT) });
    if (answer.ok) return await answer.json();
    console.warn(`catalogue: status ${answer.status}`);
  } catch (error) {
    console.warn('catalogue:', error);
  }
  return null;
}

const { lang, dataset } = document.documentElement;
// Before any module that imports this one runs, so that its constants are in the page's language, too.
const catalogue = dataset.words ? await readCatalogue(dataset.words) : null;

/** The language of all texts of the scripts: English without a catalogue. */
export const language = catalogue && lang === 'de' ? 'de' : 'en';

/** @param {string} text @returns {string[]} texts and, between them, the names of placeholders */
const splitPlaceholders = (text) => (catalogue?.[text] ?? text).split(/\{(\w+)\}/);

/**
 * Returns a text in the page's language, with values in place of `{name}`.
 * @param {string} text in English
 * @param {Record<string, string | number>} [values]
 */
export function translate(text, values = {}) {
  return splitPlaceholders(text).map((part, place) => (place % 2 ? values[part] ?? `{${part}}` : part)).join('');
}

/**
 * Returns a text in the page's language as the children of an element, with nodes in place of `{name}`.
 * @param {string} text in English
 * @param {Record<string, Node | string>} nodes
 * @returns {(Node | string)[]}
 */
export function translateNodes(text, nodes) {
  return splitPlaceholders(text).map((part, place) => (place % 2 ? nodes[part] ?? `{${part}}` : part)).filter((part) => part !== '');
}
