// The refusals of plans in words for people.

/** @type {Record<string, string>} */
const MESSAGES = {
  unreachable: 'The server cannot be reached. Your drawing is kept in this browser.',
  overloaded: 'The server is busy. Try again in a moment.',
  database_unavailable: 'The server cannot write just now. Your drawing is kept in this browser.',
  limit_reached: 'You have three plans that have not ended. Close one of them first.',
  gallery_pass_required: 'Your Gallery Pass has ended. Renew it to post this plan; it is kept in this browser.',
  key_invalid: 'You are signed out. Sign in again; your drawing is kept in this browser.',
  key_missing: 'You are signed out. Sign in again; your drawing is kept in this browser.',
  closed: 'This plan has ended. Post your drawing as a new plan.',
};

/** @param {{code: string, message: string, body?: any}} error */
export function describeError({ code, message, body }) {
  if (code === 'too_many_requests' && body?.retry_after) return `Wait ${body.retry_after} seconds before your next plan.`;
  return MESSAGES[code] ?? message;
}
