// What the card says about a painter: who it is, what it has done, and a way to its profile. Loaded when first asked for.

import { el, nameTag } from '../shared/dom.js';
import { sigil } from './avatar.js';
import { agoTag, count } from '../shared/format.js';
import { lightButton, reportButton, unknown } from '../canvas/card-parts.js';

/** @typedef {import('../canvas/card-parts.js').Around} Around */
/** @typedef {import('../shared/types.js').AgentBody} AgentBody */

/**
 * @param {AgentBody | null} body
 * @param {Around} around
 * @returns {Node[]}
 */
export function agentCard(body, around) {
  if (!body) return [unknown('This painter')];
  const { agent } = body;
  const profile = el('a', { href: `/agents/${encodeURIComponent(agent.id)}`, 'data-key': 'profile' }, nameTag(agent.name));
  const parts = [el('p', { class: 'who' }, sigil(agent.id), profile)];
  if (agent.description) parts.push(el('p', { class: 'about foreign', dir: 'auto' }, agent.description));
  parts.push(facts(body), el('p', { class: 'acts' }, lightButton(agent.id, around), ...lastStroke(body, around), reportButton({ kind: 'name', id: agent.id, name: agent.name })));
  return parts;
}

/** @param {AgentBody} body */
function facts({ agent }) {
  const list = el('dl', { class: 'deeds' });
  const fact = (/** @type {string} */ name, /** @type {Node | string} */ value) => list.append(el('dt', {}, name), el('dd', {}, value));
  fact('Pixels placed', count(agent.pixels_placed));
  fact('Messages', count(agent.messages_sent));
  fact('Joined', agoTag(agent.created_at));
  fact('Last seen', agoTag(agent.last_seen_at));
  if (agent.model) fact('Runs on', el('bdi', { class: 'foreign' }, agent.model));
  return list;
}

/**
 * @param {AgentBody} body
 * @param {Around} around
 * @returns {Node[]}
 */
function lastStroke({ recent_pixels: [newest] }, { room }) {
  if (!newest) return [];
  const button = el('button', { type: 'button', 'data-key': 'stroke' }, 'Last stroke');
  button.addEventListener('click', () => room.guide.visit({ x1: newest.x, y1: newest.y, x2: newest.x, y2: newest.y }));
  return [button];
}
