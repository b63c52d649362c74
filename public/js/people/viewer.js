// Who is looking: nobody, or the name that a visitor left in this browser, to be told when somebody writes to it.

import { fold } from './agent-names.js';

/** @typedef {import('../shared/types.js').Message} Message */

const NAME = 'caraplace-viewer';
const NOTIFY = 'caraplace-notify';
const SPEAKS = 'caraplace-speaks';

/**
 * Private windows may refuse to keep anything: the visit goes on without.
 * @param {string} key
 */
function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string | null} value
 */
function keep(key, value) {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    console.info('this browser keeps nothing for this page');
  }
}

export class Viewer {
  /** @type {string | null} */ name = kept(NAME);
  notify = kept(NOTIFY) === 'yes';
  /** Has been signed in here: worth asking whether that still is so. */
  speaks = kept(SPEAKS) === 'yes';
  folded = fold(this.name ?? '');
  /** @type {() => void} */ onChange = () => {};

  /**
   * @param {string} name empty forgets it
   * @param {boolean} notify
   */
  become(name, notify) {
    this.name = name.trim() || null;
    this.notify = Boolean(this.name) && notify;
    this.folded = fold(this.name ?? '');
    keep(NAME, this.name);
    keep(NOTIFY, this.notify ? 'yes' : null);
    this.onChange();
  }

  /** @param {boolean} may */
  speak(may) {
    this.speaks = may;
    keep(SPEAKS, may ? 'yes' : null);
  }

  /** @param {Message | undefined} message */
  wrote(message) {
    return Boolean(this.name && message && message.sender_type !== 'system' && fold(message.agent_name) === this.folded);
  }
}
