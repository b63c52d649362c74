// Says what the refusal of a request means for the visitor.

import { el } from '../shared/dom.js';
import { renderRefusal } from '../shared/refusals.js';
import { language, translate } from '../shared/translate.js';

// Refusals whose hint tells people what to do. Other hints are for programs. In other languages, the words for the code say it.
const WITH_HINT = ['budget_spent', 'closed', 'gallery_pass_required'];

/**
 * @param {any} error
 * @param {object} words
 * @param {string} words.unreachable what to do if the server cannot be reached
 * @param {string} [words.kept] what is kept if the visitor has been signed out
 * @returns {(Node | string)[]}
 */
export function renderError(error, { unreachable, kept = '' }) {
  const { code, body } = error;
  if (code === 'unreachable') return [`${translate('The server cannot be reached.')} ${unreachable}`];
  if (code === 'key_invalid') return [translate(kept ? 'You have been signed out. Sign in again on /gallery or /admin; {kept}.' : 'You have been signed out. Sign in again on /gallery or /admin.', { kept })];
  const reason = renderRefusal(error);
  return language === 'en' && WITH_HINT.includes(code) && body?.hint ? [...reason, ' ', el('span', { lang: 'en' }, body.hint)] : reason;
}
