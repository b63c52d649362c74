// Keeps an unposted drawing in this browser.

/** @typedef {import('./types.js').PlanFields & {version?: number}} Draft */

const PREFIX = 'caraplace-plan-draft';

/** @param {string} plan the id of the plan that is changed; empty for a new one */
const keyOf = (plan) => (plan ? `${PREFIX}-${plan}` : PREFIX);

/**
 * Returns the stored draft. Private windows may refuse storage: the page works without.
 * @param {string} plan
 * @returns {Draft | null}
 */
export function readDraft(plan) {
  try {
    const draft = JSON.parse(localStorage.getItem(keyOf(plan)) ?? 'null');
    return Array.isArray(draft?.rows) && draft.rows.length ? draft : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} plan
 * @param {Draft | null} draft `null` removes it
 */
export function writeDraft(plan, draft) {
  try {
    if (draft) localStorage.setItem(keyOf(plan), JSON.stringify(draft));
    else localStorage.removeItem(keyOf(plan));
  } catch {
    console.info('this browser keeps no draft');
  }
}
