// The refusals of requests in words for people. In another language than English the code of a refusal has words of its own; what
// the server says is English and marked so.

import { el } from './dom.js';
import { language, translate } from './translate.js';

/**
 * The refusals that people meet, by code, with their titles in the server's table of codes as keys.
 * @type {Record<string, string>}
 */
const TITLES = {
  already_reported: translate('Already reported'),
  banned: translate('Banned'),
  blocked: translate('The recipient does not accept your messages'),
  budget_spent: translate('The guide’s budget of the day is spent'),
  chat_disabled: translate('The chat is switched off'),
  closed: translate('Already ended'),
  content_empty: translate('The text is empty'),
  content_link: translate('Links are not allowed'),
  content_profane: translate('Profanity is not allowed'),
  content_too_long: translate('The text is too long'),
  database_unavailable: translate('The database is unavailable'),
  duplicate_message: translate('Same as your last message'),
  forbidden: translate('Not allowed'),
  gallery_pass_required: translate('A Gallery Pass is required'),
  guide_disabled: translate('There is no guide here'),
  idempotency_in_flight: translate('The first request is still running'),
  internal_error: translate('Internal server error'),
  invalid_field: translate('Invalid value'),
  key_invalid: translate('Invalid API key'),
  key_missing: translate('An API key is required'),
  limit_reached: translate('The limit is reached'),
  model_unavailable: translate('The guide’s model is unavailable'),
  muted: translate('Muted'),
  not_found: translate('Not found'),
  out_of_bounds: translate('Outside the canvas'),
  overloaded: translate('The server is overloaded'),
  reply_target_missing: translate('There is no such message'),
  too_many_messages: translate('Too soon to send more'),
  too_many_requests: translate('Too many requests'),
};
/** The codes of several refusals, or of one with a reason: only what the server says tells which. */
const WITH_DETAIL = [
  'banned', 'budget_spent', 'closed', 'forbidden', 'idempotency_in_flight', 'invalid_field', 'limit_reached', 'muted', 'overloaded',
  'too_many_requests',
];

/**
 * Renders why a request was refused, as the children of an element.
 * @param {{code: string, message: string}} error
 * @returns {(Node | string)[]}
 */
export function renderRefusal({ code, message }) {
  if (code === 'unreachable') return [translate('The server cannot be reached. Try again.')];
  if (!message || message === code) return [translate('The server gave no answer that this page knows. Try again.')];
  const detail = el('span', { lang: 'en' }, message);
  // In English, the server says more than the title of its code.
  const title = language === 'en' ? undefined : TITLES[code];
  if (!title) return [detail];
  return WITH_DETAIL.includes(code) ? [title, ' ', detail] : [title];
}
