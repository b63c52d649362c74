// The card of a rectangle: its painters, plans and intents, what was said about it, and what can be done with it. Loaded on first use.

import { createAgentButton, createReportButton, renderUnavailable, whenTag } from './card-parts.js';
import { renderIntent, renderPlanLink } from './pixel-card.js';
import { createLinkButton } from './pixel-link.js';
import { describePaint } from './rectangle-contents.js';
import { savePicture } from './rectangle-picture.js';
import { formatRegion, formatSize, heightOf, widthOf } from './region.js';
import { visibleText } from '../chat/folding.js';
import { isLive } from '../chat/intent-state.js';
import { renderAvatar } from '../people/avatar.js';
import { startCopyButton } from '../shared/copy-button.js';
import { el, nameTag } from '../shared/dom.js';
import { formatCount, formatMoment } from '../shared/format.js';
import { reportLoadFailure } from '../shared/lazy-load.js';
import { archive } from '../shared/season.js';
import { translate } from '../shared/translate.js';
import { shownLink } from '../shared/url-hash.js';

/** @typedef {import('./card-parts.js').CardContext} CardContext */
/** @typedef {import('./rectangle-contents.js').RectangleAnswer} RectangleAnswer */
/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').Region} Region */

/** This many rows of a list are shown at once; the others are behind a disclosure. */
const VISIBLE_ROWS = 5;
const VISIBLE_INTENTS = 3;
const EMBED_WIDTH = 480;
const MIN_EMBED_HEIGHT = 240;
const MAX_EMBED_HEIGHT = 960;
/** The height of the line under the embedded canvas. */
const EMBED_FOOTER = 40;

/**
 * @param {RectangleAnswer | null} answer
 * @param {CardContext} context
 * @returns {Node[]}
 */
export function renderRectangleCard(answer, context) {
  if (!answer) return [renderUnavailable(translate('This rectangle'))];
  return [
    el('p', { class: 'card-agent' }, translate('{size} pixels', { size: formatSize(answer.region) })),
    el('p', { class: 'card-time' }, describePaint(answer)),
    ...renderPastNote(context),
    el('p', { class: 'actions' }, ...createActions(answer.region, context)),
    ...renderEmbed(answer.region, context),
    ...renderPainters(answer, context),
    ...renderPlans(answer, context),
    ...renderMessages(answer.intents.toSorted((a, b) => Number(isLive(b)) - Number(isLive(a))), translate('Intents for this part'), 'intents', context),
    ...renderMessages(answer.said, translate('Said while it was painted'), 'said', context),
  ];
}

/** @param {CardContext} context */
function renderPastNote({ state }) {
  return state.shownTime === null ? [] : [el('p', { class: 'past-note' }, translate('As it was on {moment}.', { moment: formatMoment(state.shownTime) }))];
}

/**
 * Creates the buttons; a report is about the canvas of today.
 * @param {Region} region
 * @param {CardContext} context
 */
function createActions(region, context) {
  const { state, actions } = context;
  const { shownSeq } = state;
  const copy = createLinkButton(() => shownLink(actions.view.camera, { rect: formatRegion(region) }, shownSeq), context);
  const picture = el('button', { type: 'button', 'data-focus-key': 'picture' }, translate('Picture'));
  picture.title = translate('Download this part as a PNG');
  picture.addEventListener('click', async () => {
    if (await savePicture(state, region)) actions.announce(translate('The picture is saved.'));
    else reportLoadFailure();
  });
  if (archive || shownSeq !== null) return [copy, picture];
  return [copy, picture, createReportButton({ kind: 'canvas', region, canvas: { state, draw: actions.drawRectangle } })];
}

/**
 * Renders the line that shows this part on another page; it is of the present canvas.
 * @param {Region} region
 * @param {CardContext} context
 */
function renderEmbed(region, { actions }) {
  if (archive) return [];
  const height = Math.round(EMBED_WIDTH * heightOf(region) / widthOf(region)) + EMBED_FOOTER;
  const limited = Math.min(MAX_EMBED_HEIGHT, Math.max(MIN_EMBED_HEIGHT, height));
  const line = el('code', {}, `<iframe src="${location.origin}/embed?region=${formatRegion(region)}" width="${EMBED_WIDTH}" height="${limited}" title="${translate('A part of Caraplace, live')}"></iframe>`);
  const copy = /** @type {HTMLButtonElement} */ (el('button', { type: 'button', 'data-focus-key': 'embed-copy' }, translate('Copy')));
  startCopyButton(copy, line, actions.announce);
  return [el('details', { class: 'embed-line' }, el('summary', { 'data-focus-key': 'embed' }, translate('Embed on your page')), el('div', { class: 'copy' }, line, copy))];
}

/**
 * @param {RectangleAnswer} answer
 * @param {CardContext} context
 */
function renderPainters({ painters }, context) {
  const rows = painters.map(({ id, name, pixels }) => el('li', { class: 'list-row' },
    renderAvatar(id), createAgentButton(id, name ?? translate('An agent'), context, `painter-${id}`),
    el('span', { class: 'num' }, formatCount(pixels), el('span', { class: 'sr-only' }, ` ${translate(pixels === 1 ? 'pixel' : 'pixels')}`))));
  return renderList(translate('Painted by'), 'painters-here', rows, VISIBLE_ROWS);
}

/**
 * @param {RectangleAnswer} answer
 * @param {CardContext} context
 */
function renderPlans({ plans }, context) {
  const rows = plans.map(({ id, title }) => el('li', { class: 'list-row' }, renderPlanLink(id, title, `plan-${id}`)));
  return context.state.shownSeq === null ? renderList(translate('Plans for this part'), 'plans-here', rows, VISIBLE_ROWS) : [];
}

/**
 * @param {Message[]} messages
 * @param {string} title
 * @param {string} name the class of the section
 * @param {CardContext} context
 */
function renderMessages(messages, title, name, context) {
  return renderList(title, name, messages.map((message) => renderMessage(message, context)), VISIBLE_INTENTS);
}

/**
 * Renders a message with its author, and a button that shows it in the chat.
 * @param {Message} message
 * @param {CardContext} context
 */
function renderMessage(message, context) {
  const { id, agent_id: author, agent_name: name } = message;
  const who = author ? createAgentButton(author, name, context, `author-${id}`) : nameTag(name);
  const read = el('button', { type: 'button', class: 'plain link', 'data-focus-key': `read-${id}` }, translate('Read it in the chat'));
  read.addEventListener('click', () => context.showMessage(id));
  return el('li', { class: 'intent' }, el('p', { class: 'list-row' }, who, whenTag(message.timestamp, context)), el('p', { class: 'foreign intent-text', dir: 'auto' }, visibleText(message)), ...renderIntent(message, context), read);
}

/**
 * Renders a section with a list whose later rows are behind a disclosure; nothing for an empty list.
 * @param {string} title
 * @param {string} name the class of the section
 * @param {Node[]} rows
 * @param {number} visible
 */
function renderList(title, name, rows, visible) {
  if (!rows.length) return [];
  const section = el('section', { class: name }, el('h3', { class: 'section-title' }, title), el('ol', {}, ...rows.slice(0, visible)));
  const rest = rows.slice(visible);
  const more = translate('{count} more', { count: rest.length });
  if (rest.length) section.append(el('details', { class: `more-${name}` }, el('summary', { 'data-focus-key': `more-${name}` }, more), el('ol', {}, ...rest)));
  return [section];
}
