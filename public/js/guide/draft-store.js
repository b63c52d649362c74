// The visitor's drafts, in step with the server, where operators may decide them, too.

import { decideDraft, findOperator, getDrafts } from './guide-api.js';
import { getViewer } from '../shared/send.js';

/** @typedef {import('./types.js').Draft} Draft */
/** @typedef {import('./types.js').DraftPage} DraftPage */

const REFRESH_MS = 15000;
// A burst of events asks once.
const MIN_INTERVAL_MS = 1000;
const OPEN_STATES = ['pending', 'approving'];

export class DraftStore {
  /** @type {Map<string, Draft>} */ #drafts = new Map();
  #timer = 0;
  #refreshedAt = -MIN_INTERVAL_MS;
  /** Whether the visitor may open plans; a no is asked again. @type {Promise<boolean> | null} */ #opensPlans = null;
  /** Called when a draft is new or has changed. @type {((draft: Draft) => void)[]} */ listeners = [];
  /** Called when the server has a draft no longer. @type {(draft: Draft) => void} */ onWithdrawn = () => {};
  /** Returns whether the guide is open, so that its drafts are seen. */ isShown = () => true;
  /** Returns whether a draft was announced that was not read yet. */ isAwaited = () => false;

  /** @param {import('../people/viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    const refresh = () => this.refreshSoon();
    window.addEventListener('focus', refresh);
    document.addEventListener('visibilitychange', refresh);
    setInterval(() => { if (this.#open.length || this.isAwaited()) this.refreshSoon(); }, REFRESH_MS);
  }

  get #open() {
    return [...this.#drafts.values()].filter(({ state }) => OPEN_STATES.includes(state));
  }

  /** @param {Draft} draft */
  put(draft) {
    const known = this.#drafts.get(draft.id);
    this.#drafts.set(draft.id, draft);
    if (JSON.stringify(known) !== JSON.stringify(draft)) for (const notify of this.listeners) notify(draft);
  }

  /** @param {string} id */
  find(id) {
    return this.#drafts.get(id);
  }

  /** Forgets a draft that is no longer shown. @param {string} id */
  remove(id) {
    this.#drafts.delete(id);
  }

  clear() {
    this.#drafts.clear();
  }

  /** Reads the drafts again if the visitor sees them. */
  refreshSoon() {
    if (document.hidden || !this.isShown() || (!this.#drafts.size && !this.isAwaited())) return;
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#refreshedAt + MIN_INTERVAL_MS - performance.now());
    this.#timer = setTimeout(() => void this.refresh().catch(() => {}), wait);
  }

  async refresh() {
    this.#refreshedAt = performance.now();
    const open = this.#open;
    const page = await getDrafts();
    // A list with none of the drafts that are known is that of another visitor: this one was signed out, or in.
    const isOwn = page.drafts.some(({ id }) => this.#drafts.has(id));
    page.drafts.forEach((draft) => this.put(draft));
    if (isOwn) open.filter((draft) => isMissing(draft, page)).forEach((draft) => this.#drop(draft.id));
  }

  /** @param {string} id */
  #drop(id) {
    const draft = this.#drafts.get(id);
    if (draft) this.onWithdrawn(draft);
  }

  /**
   * Approves or rejects a draft. The drafts are read again after a refusal, and after a lost response: the draft may have changed.
   * @param {string} id
   * @param {'approve' | 'reject'} decision
   */
  async decide(id, decision) {
    try {
      this.put((await decideDraft(id, decision)).draft);
    } catch (error) {
      if (/** @type {any} */ (error).code === 'not_found') this.#drop(id);
      else await this.refresh().catch(() => {});
      throw error;
    }
  }

  /** Returns whether the visitor may approve a draft. @param {Draft} draft */
  async mayApprove({ kind, decider }) {
    // All other kinds are only proposed to those who may make the change themselves.
    return kind !== 'plan' || decider === 'visitor' || this.#mayOpenPlans();
  }

  async #mayOpenPlans() {
    const asked = (this.#opensPlans ??= this.#askForRights());
    const mayOpen = await asked.catch((error) => {
      this.#opensPlans = null;
      throw error;
    });
    if (!mayOpen) this.#opensPlans = null;
    return mayOpen;
  }

  /** Returns whether the visitor has a pass, or is an operator. */
  async #askForRights() {
    if (this.viewer.hasSignedIn) {
      const me = await getViewer().catch((/** @type {any} */ error) => error);
      if (me.viewer) return Boolean(me.may_speak);
      if (![401, 403].includes(me.status)) throw me;
    }
    return Boolean(await findOperator());
  }
}

/**
 * Returns whether a draft is not on the page of the newest drafts, although it is as new as they are.
 * @param {Draft} draft
 * @param {DraftPage} page
 */
function isMissing({ id, created_at: time }, { drafts, next_before: next }) {
  if (drafts.some((draft) => draft.id === id)) return false;
  return !next || Date.parse(time) > Date.parse(drafts[drafts.length - 1].created_at);
}
