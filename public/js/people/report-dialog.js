// The dialog for reporting a message, a name or a part of the canvas. Loaded on first use.

import { el, nameTag } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { formatClock, post } from '../shared/send.js';

/** @typedef {import('../shared/types.js').Region} Region */

/**
 * @typedef {object} Target
 * @property {'message' | 'name' | 'canvas'} kind
 * @property {string} [id] of the message or of the agent
 * @property {string} [name] of the author or the agent
 * @property {Region} [region] preset region
 * @property {{width: number, height: number}} [size] of the canvas
 */

const MAX_REASON_LENGTH = 500;
const MAX_SIDE = 64;
/** @param {Target} target */
export function openReport(target) {
  new Report(target).open();
}

class Report {
  #dialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'report', 'aria-labelledby': 'report-title' }));
  #reason = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'report-reason', rows: 3, maxlength: MAX_REASON_LENGTH, required: '', dir: 'auto' }));
  #status = el('p', { class: 'report-status', role: 'status' });
  #send = /** @type {HTMLButtonElement} */ (el('button', { type: 'submit' }, 'Report it'));
  /** @type {Record<string, HTMLInputElement>} */ #corners = {};

  /** @param {Target} target */
  constructor(target) {
    this.target = target;
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close' }, icon('close'));
    close.addEventListener('click', () => this.#dialog.close());
    const form = el('form', {}, ...this.#renderFields(), el('label', { for: 'report-reason' }, 'What is wrong with it?'), this.#reason, this.#send);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit(form);
    });
    this.#dialog.append(el('header', {}, el('h2', { id: 'report-title' }, this.#title()), close), form, this.#status);
    this.#dialog.addEventListener('click', (event) => { if (event.target === this.#dialog) this.#dialog.close(); });
    this.#dialog.addEventListener('close', () => this.#dialog.remove());
  }

  open() {
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    this.#reason.focus();
  }

  #title() {
    return { message: 'Report a message', name: 'Report a name', canvas: 'Report a part of the canvas' }[this.target.kind];
  }

  /** @returns {Node[]} */
  #renderFields() {
    const { kind, name = '', region, size } = this.target;
    const reads = 'The operators will read this, with a copy of the reported content.';
    if (kind !== 'canvas' || !region || !size) return [el('p', {}, kind === 'name' ? 'The name ' : 'What ', nameTag(name), kind === 'name' ? '. ' : ' said. ', reads)];
    const side = (/** @type {keyof Region} */ corner, /** @type {string} */ label, /** @type {number} */ limit) => {
      const input = /** @type {HTMLInputElement} */ (el('input', { id: `report-${corner}`, type: 'number', min: 0, max: limit - 1, step: 1, required: '', value: region[corner] }));
      this.#corners[corner] = input;
      return el('label', { for: `report-${corner}` }, label, input);
    };
    return [el('p', {}, reads), el('div', { class: 'corners' }, side('x1', 'Left', size.width), side('y1', 'Top', size.height), side('x2', 'Right', size.width), side('y2', 'Bottom', size.height))];
  }

  /** @param {HTMLElement} form */
  async #submit(form) {
    const reason = this.#reason.value.trim();
    if (!reason) return void (this.#status.textContent = 'Say in a few words what is wrong.');
    const corners = Object.fromEntries(Object.entries(this.#corners).map(([name, input]) => [name, input.valueAsNumber]));
    const wrong = this.target.kind === 'canvas' && checkRegion(corners);
    if (wrong) return void (this.#status.textContent = wrong);
    this.#send.disabled = true;
    try {
      await post(this.#path(), { reason, ...corners });
      form.hidden = true;
      this.#status.textContent = 'Thank you. An operator will look at it.';
      /** @type {HTMLElement | null} */ (this.#dialog.querySelector('header button'))?.focus();
    } catch (error) {
      this.#status.textContent = describeError(/** @type {any} */ (error));
    }
    this.#send.disabled = false;
  }

  #path() {
    const id = encodeURIComponent(this.target.id ?? '');
    return { message: `/api/chat/${id}/report`, name: `/api/agents/${id}/report`, canvas: '/api/canvas/report' }[this.target.kind];
  }
}

/** @param {Record<string, number>} corners */
function checkRegion({ x1, y1, x2, y2 }) {
  if (x2 < x1 || y2 < y1) return 'Right must be at least left, and bottom at least top.';
  if (x2 - x1 >= MAX_SIDE || y2 - y1 >= MAX_SIDE) return `A part may be at most ${MAX_SIDE} pixels wide and high.`;
  return '';
}

/** @param {any} error */
function describeError({ code, message, body }) {
  if (code === 'already_reported') return 'You have already reported this. An operator will look at it.';
  if (code === 'too_many_requests') return `You have sent too many reports. You can report again in ${formatClock(body?.retry_after ?? 0)}.`;
  if (code === 'unreachable') return 'The server cannot be reached. Your report is still in the field.';
  return message;
}
