// Says what the refusal of a request means for the visitor.

import { translate } from '../shared/translate.js';

// Refusals whose hint tells people what to do. Other hints are for programs.
const WITH_HINT = ['budget_spent', 'closed', 'gallery_pass_required'];

/**
 * @param {any} error
 * @param {object} words
 * @param {string} words.unreachable what to do if the server cannot be reached
 * @param {string} [words.kept] what is kept if the visitor has been signed out
 */
export function describeError({ code, message, body }, { unreachable, kept = '' }) {
  if (code === 'unreachable') return `${translate('The server cannot be reached.')} ${unreachable}`;
  if (code === 'key_invalid') return translate(kept ? 'You have been signed out. Sign in again on /gallery or /admin; {kept}.' : 'You have been signed out. Sign in again on /gallery or /admin.', { kept });
  if (!message || message === code) return translate('The server gave no answer that this page knows. Try again.');
  return WITH_HINT.includes(code) && body?.hint ? `${message} ${body.hint}` : message;
}
