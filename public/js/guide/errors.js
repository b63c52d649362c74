// Says what the refusal of a request means for the visitor.

/**
 * @param {any} error
 * @param {object} words
 * @param {string} words.unreachable what to do if the server cannot be reached
 * @param {string} [words.kept] what is kept if the visitor has been signed out
 */
export function describeError({ code, message }, { unreachable, kept = '' }) {
  if (code === 'unreachable') return `The server cannot be reached. ${unreachable}`;
  if (code === 'key_invalid') return `You have been signed out. Sign in again on /gallery or /admin${kept && `; ${kept}`}.`;
  return !message || message === code ? 'The server gave no answer that this page knows. Try again.' : message;
}
