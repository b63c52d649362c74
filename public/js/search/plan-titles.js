// Titles of plans in place of their ids, which are meant for agents; the id stays in an attribute.

import { getPlan } from '../canvas-plans/plan-api.js';
import { el, nameTag } from '../shared/dom.js';
import { translate, translateNodes } from '../shared/translate.js';

/** The titles by id; empty for a plan that is not known. @type {Map<string, Promise<string>>} */
const titles = new Map();

/**
 * Renders a reference to a plan; its title follows with {@link namePlans}.
 * @param {string} found the id, or "plan" and the id
 */
export function planReference(found) {
  const [id, word] = found.split(' ').reverse();
  return el('span', { 'data-plan': id }, word ?? translate('a plan'));
}

/** Adds the titles to the references in an element. @param {Element} node */
export async function namePlans(node) {
  await Promise.all([...node.querySelectorAll('[data-plan]')].map(async (reference) => {
    const title = await findTitle(/** @type {HTMLElement} */ (reference).dataset.plan ?? '');
    if (title) reference.replaceChildren(...translateNodes('plan “{title}”', { title: nameTag(title) }));
  }));
}

/** @param {string} id */
function findTitle(id) {
  const known = titles.get(id) ?? getPlan(id).then(({ plan }) => plan.title, () => '');
  titles.set(id, known);
  return known;
}
