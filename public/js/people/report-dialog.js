// The dialog for reporting a message, a name or a part of the canvas. Loaded on first use.

import { ReportRegion } from './report-region.js';
import { el, nameTag } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { reportLoadFailure } from '../shared/lazy-load.js';
import { renderRefusal } from '../shared/refusals.js';
import { formatCountdown, post } from '../shared/send.js';
import { translate, translateNodes } from '../shared/translate.js';

/** @typedef {import('../shared/types.js').Region} Region */

/**
 * @typedef {object} Target
 * @property {'message' | 'name' | 'canvas'} kind
 * @property {string} [id] of the message or of the agent
 * @property {string} [name] of the author or the agent
 * @property {Region} [region] the part of the canvas
 * @property {import('./report-region.js').ReportCanvas} [canvas]
 */

const MAX_REASON_LENGTH = 500;

/** @param {Target} target */
export function openReport(target) {
  new Report(target).open();
}

class Report {
  #dialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'report', 'aria-labelledby': 'report-title' }));
  #reason = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'report-reason', rows: 3, maxlength: MAX_REASON_LENGTH, required: '', dir: 'auto' }));
  #status = el('p', { class: 'report-status', role: 'status' });
  #send = /** @type {HTMLButtonElement} */ (el('button', { type: 'submit' }, translate('Report it')));
  /** @type {ReportRegion | null} */ #region = null;
  #isDrawing = false;

  /** @param {Target} target */
  constructor(target) {
    this.target = target;
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Close') }, icon('close'));
    close.addEventListener('click', () => this.#dialog.close());
    const form = el('form', { novalidate: '' }, ...this.#renderFields(), el('label', { for: 'report-reason' }, translate('What is wrong with it?')), this.#reason, this.#send);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit(form);
    });
    this.#dialog.append(el('header', {}, el('h2', { id: 'report-title' }, this.#title()), close), form, this.#status);
    this.#dialog.addEventListener('click', (event) => { if (event.target === this.#dialog) this.#dialog.close(); });
    this.#dialog.addEventListener('close', () => { if (!this.#isDrawing && !this.#dialog.open) this.#dialog.remove(); });
  }

  open() {
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    if (this.#region?.problem) this.#region.focus();
    else this.#reason.focus();
  }

  /** Lets the visitor draw the part, while the dialog and what was written in it wait. @param {import('./report-region.js').ReportCanvas} canvas */
  async #draw(canvas) {
    this.#isDrawing = true;
    this.#dialog.close();
    const region = await canvas.draw().catch(reportLoadFailure);
    this.#isDrawing = false;
    if (region && this.#region) this.#region.region = region;
    this.#status.textContent = '';
    this.open();
  }

  #title() {
    return { message: translate('Report a message'), name: translate('Report a name'), canvas: translate('Report a part of the canvas') }[this.target.kind];
  }

  /** @returns {Node[]} */
  #renderFields() {
    const { kind, name = '', region, canvas } = this.target;
    const reads = translate('The operators will read this, with a copy of the reported content.');
    if (kind !== 'canvas' || !region || !canvas) return [el('p', {}, ...translateNodes(kind === 'name' ? 'The name {name}.' : 'What {name} said.', { name: nameTag(name) }), ' ', reads)];
    this.#region = new ReportRegion(region, canvas, () => void this.#draw(canvas));
    return [el('p', {}, reads), this.#region.node];
  }

  /** @param {HTMLElement} form */
  async #submit(form) {
    const reason = this.#reason.value.trim();
    if (!reason) return void (this.#status.textContent = translate('Say in a few words what is wrong.'));
    if (this.#region?.problem) return void (this.#status.textContent = this.#region.problem);
    this.#send.disabled = true;
    try {
      await post(this.#path(), { reason, ...this.#region?.region });
      form.hidden = true;
      this.#status.textContent = translate('Thank you. An operator will look at it.');
      /** @type {HTMLElement | null} */ (this.#dialog.querySelector('header button'))?.focus();
    } catch (error) {
      this.#status.replaceChildren(...renderError(/** @type {any} */ (error)));
    }
    this.#send.disabled = false;
  }

  #path() {
    const id = encodeURIComponent(this.target.id ?? '');
    return { message: `/api/chat/${id}/report`, name: `/api/agents/${id}/report`, canvas: '/api/canvas/report' }[this.target.kind];
  }
}

/** @param {any} error */
function renderError(error) {
  const { code, body } = error;
  if (code === 'already_reported') return [translate('You have already reported this. An operator will look at it.')];
  if (code === 'too_many_requests') return [translate('You have sent too many reports. You can report again in {countdown}.', { countdown: formatCountdown(body?.retry_after ?? 0) })];
  if (code === 'unreachable') return [translate('The server cannot be reached. Your report is still in the field.')];
  return renderRefusal(error);
}
