// The shown moment in the URL: reads it from links, and writes it when the visitor has found one.

import { parseMoment } from './moment.js';
import { translate } from '../shared/translate.js';
import { hashField, pushHashField, setHashField } from '../shared/url-hash.js';

const MAX_QUOTE_LENGTH = 12;

export class MomentLink {
  /** The field as it was last read or written. @type {string | null} */ #last = null;
  /** The time of the newest entry that was added, while its moment is shown. @type {number | null} */ #entered = null;

  /**
   * @param {object} handlers
   * @param {(moment: import('./moment.js').Moment) => void} handlers.show
   * @param {() => Promise<void>} handlers.showPresent
   * @param {(message: string) => void} handlers.refuse called after that if the URL names no moment
   */
  constructor(handlers) {
    this.handlers = handlers;
  }

  /** Shows the moment in the URL. Other modules write into the URL too: only a changed moment matters. */
  read() {
    const text = hashField('at');
    if (text === this.#last) return;
    this.#last = text;
    this.#entered = null;
    const moment = text === null ? null : parseMoment(text);
    if (moment) this.handlers.show(moment);
    else void this.handlers.showPresent().then(() => { if (text !== null) this.#refuse(text); });
  }

  /** @param {number | null} seq `null` for now */
  write(seq) {
    this.#last = seq === null ? null : String(seq);
    setHashField('at', this.#last);
  }

  /**
   * Adds an entry to the browser's history for a moment that is about to be shown: Back returns to the one before.
   * @param {number} time milliseconds
   * @param {number | null} shownSeq the newest event of the one before, which the URL names only after a while; `null` for now
   */
  enter(time, shownSeq) {
    if (time === this.#entered && hashField('at') === this.#last) return;
    this.#entered = time;
    if (shownSeq !== null) this.write(shownSeq);
    this.#last = new Date(time).toISOString();
    pushHashField('at', this.#last);
  }

  /** @param {string} text */
  #refuse(text) {
    if (hashField('at') === text) this.write(null);
    const quote = text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;
    this.handlers.refuse(translate('“{quote}” is no time or event number. This is now.', { quote }));
  }
}
