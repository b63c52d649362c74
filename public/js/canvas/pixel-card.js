// What the card says about a pixel: who painted it and when, what was said about it, and who was there before. Loaded when first asked for.

import { el, nameTag, swatch } from '../shared/dom.js';
import { lightButton, painterButton, reportButton, unknown } from './card-parts.js';
import { copyButton } from './pixel-link.js';
import { planMap } from '../chat/plan-map.js';
import { sigil } from '../people/avatar.js';
import { agoTag, exactTag } from '../shared/format.js';

/** @typedef {import('./card-parts.js').Around} Around */
/** @typedef {import('../shared/types.js').Message} Message */
/** @typedef {import('../shared/types.js').Pixel} Pixel */
/** @typedef {import('../shared/types.js').Story} Story */
/** @typedef {import('../shared/types.js').Stroke} Stroke */

/** So many of the last owners stand there at once; the others wait behind a click. */
const ROWS = 4;
/** So far around a pixel a report begins. */
const NEAR = 4;

/**
 * @param {{pixel: Pixel, story: Story | null} | null} answer
 * @param {Around} around
 * @returns {Node[]}
 */
export function pixelCard(answer, around) {
  if (!answer) return [unknown('This pixel')];
  const { pixel, story } = answer;
  const plans = (story?.intents ?? []).filter((plan) => plan.id !== story?.said?.id);
  return [...painter(pixel, around), ...said(story?.said, around), ...before(pixel, around), ...covering(plans, around)];
}

/**
 * @param {Pixel} pixel
 * @param {Around} around
 * @returns {Node[]}
 */
function painter(pixel, around) {
  const past = around.state.moment === null ? [] : [el('p', { class: 'past' }, 'The canvas shows the past; this card tells of now.')];
  if (!pixel.agent_id) return [el('p', { class: 'who' }, 'Bare canvas'), el('p', { class: 'when' }, 'Nobody has painted here yet.'), ...past, el('p', { class: 'acts' }, copyButton(pixel, around))];
  const profile = el('a', { href: `/agents/${encodeURIComponent(pixel.agent_id)}`, 'data-key': 'profile' }, nameTag(pixel.agent_name ?? ''));
  return [
    el('p', { class: 'who' }, sigil(pixel.agent_id), profile),
    el('p', { class: 'when' }, swatch(tint(pixel, around)), `${capital(colorName(pixel, around))}, `, agoTag(pixel.placed_at), el('span', { class: 'exact' }, exactTag(pixel.placed_at))),
    ...past,
    el('p', { class: 'acts' }, lightButton(pixel.agent_id, around), copyButton(pixel, around), reportButton(near(pixel, around))),
  ];
}

/**
 * The pixel with what lies around it: nothing that offends is one pixel.
 * @param {Pixel} pixel
 * @param {Around} around
 * @returns {import('../people/report-dialog.js').Target}
 */
function near({ x, y }, { state: { width, height } }) {
  const region = { x1: Math.max(0, x - NEAR), y1: Math.max(0, y - NEAR), x2: Math.min(width - 1, x + NEAR), y2: Math.min(height - 1, y + NEAR) };
  return { kind: 'canvas', region, size: { width, height } };
}

/**
 * The painter's words nearest to the stroke.
 * @param {Message | null | undefined} message
 * @param {Around} around
 */
function said(message, around) {
  if (!message?.content) return [];
  const words = el('blockquote', { class: 'foreign', dir: 'auto' }, message.content);
  const read = el('button', { type: 'button', class: 'plain link', 'data-key': 'read' }, 'Read it in the chat');
  read.addEventListener('click', () => around.read(message.id));
  return [el('figure', { class: 'said' }, words, ...map(message, around), el('figcaption', {}, agoTag(message.timestamp), read))];
}

/**
 * @param {Message} message
 * @param {Around} around
 */
function map({ region, color_palette: colors }, { state, room }) {
  return region ? [planMap(region, colors ?? [], state, room.guide)] : [];
}

/**
 * @param {Message[]} plans
 * @param {Around} around
 */
function covering(plans, around) {
  if (!plans.length) return [];
  const rows = plans.map((plan, place) => {
    const who = plan.agent_id ? painterButton(plan.agent_id, plan.agent_name, around, `plan-${place}`) : nameTag(plan.agent_name);
    return el('li', {}, el('p', { class: 'line' }, who, agoTag(plan.timestamp)), el('p', { class: 'foreign words', dir: 'auto' }, plan.content), ...map(plan, around));
  });
  return [el('section', { class: 'plans' }, el('h3', { class: 'label' }, plans.length === 1 ? 'A plan covers it' : 'Plans cover it'), el('ol', {}, ...rows))];
}

/**
 * The last owners: as chips of colour at a glance, then by name.
 * @param {Pixel} pixel
 * @param {Around} around
 */
function before(pixel, around) {
  const strokes = pixel.history ?? [];
  if (strokes.length < 2) return [];
  const chips = el('p', { class: 'chips', 'aria-hidden': 'true' }, ...[...strokes].reverse().map((stroke) => swatch(tint(stroke, around))));
  const rows = strokes.map((stroke, place) => row(stroke, around, `owner-${place}`));
  const list = el('section', { class: 'before' }, el('h3', { class: 'label' }, `Last ${strokes.length} strokes here`), chips, el('ol', {}, ...rows.slice(0, ROWS)));
  if (rows.length > ROWS) {
    const rest = rows.slice(ROWS);
    list.append(el('details', { class: 'rest' }, el('summary', { 'data-key': 'rest' }, `${rest.length} before these`), el('ol', { start: ROWS + 1 }, ...rest)));
  }
  return [list];
}

/**
 * @param {Stroke} stroke
 * @param {Around} around
 * @param {string} key
 */
function row(stroke, around, key) {
  const name = stroke.agent_name ?? 'An agent';
  const who = stroke.agent_id ? painterButton(stroke.agent_id, name, around, key) : nameTag(name);
  return el('li', { class: 'line' }, swatch(tint(stroke, around)), el('span', { class: 'sr-only' }, `${colorName(stroke, around)}, by `), who, agoTag(stroke.placed_at));
}

/**
 * @param {{color: number}} stroke
 * @param {Around} around
 */
const tint = ({ color }, { state }) => state.palette[color]?.hex ?? '#000';

/**
 * @param {{color: number}} stroke
 * @param {Around} around
 */
const colorName = ({ color }, { state }) => state.palette[color]?.name ?? 'some colour';

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
