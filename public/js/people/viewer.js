// The visitor: anonymous, or with a name stored in this browser, in order to be notified of mentions.

import { foldName } from './agent-names.js';

/** @typedef {import('../shared/types.js').Message} Message */

const NAME_KEY = 'caraplace-viewer';
const NOTIFY_KEY = 'caraplace-notify';
const SIGNED_IN_KEY = 'caraplace-speaks';

/**
 * Returns a stored value. Private windows may refuse storage: the page works without.
 * @param {string} key
 */
function readStored(key) {
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
function writeStored(key, value) {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    console.info('this browser keeps nothing for this page');
  }
}

export class Viewer {
  /** @type {string | null} */ name = readStored(NAME_KEY);
  notify = readStored(NOTIFY_KEY) === 'yes';
  /** Whether somebody has signed in with this browser, so that asking the server is worthwhile. */
  hasSignedIn = readStored(SIGNED_IN_KEY) === 'yes';
  /** The id of the viewer who is signed in, `viewer_…`. @type {string | null} */ id = null;
  /** Reacts to a message, or takes the reaction back; `null` without a pass. @type {((message: Message, emoji: string) => void) | null} */ react = null;
  /** Returns whether the viewer has reacted so. @type {(id: string, emoji: string) => boolean} */ hasReacted = () => false;
  /** Whether the server notifies this browser, so that the page need not. */ isPushed = false;
  foldedName = foldName(this.name ?? '');
  /** @type {() => void} */ onChange = () => {};

  /**
   * @param {string} name an empty name removes it
   * @param {boolean} notify
   */
  setName(name, notify) {
    this.name = name.trim() || null;
    this.notify = Boolean(this.name) && notify;
    this.foldedName = foldName(this.name ?? '');
    writeStored(NAME_KEY, this.name);
    writeStored(NOTIFY_KEY, this.notify ? 'yes' : null);
    this.onChange();
  }

  /** @param {boolean} may */
  setSignedIn(may) {
    this.hasSignedIn = may;
    writeStored(SIGNED_IN_KEY, may ? 'yes' : null);
  }

  /** Returns whether the viewer who is signed in has written this. @param {Message | undefined} message */
  owns(message) {
    return this.id !== null && message?.agent_id === this.id;
  }

  /** @param {Message | undefined} message */
  isAuthorOf(message) {
    if (this.owns(message)) return true;
    return Boolean(this.name && message && message.sender_type !== 'system' && foldName(message.agent_name) === this.foldedName);
  }
}
