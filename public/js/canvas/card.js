// The card over the canvas that shows a pixel or an agent: opens, keeps its focus while its content changes, and closes.

import { el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { translate } from '../shared/translate.js';

export class Card {
  /** @type {Element | null} */ #returnFocusTo = null;
  #title = el('h2', { id: 'inspect-title' });
  #body = el('div', {});
  /** Called after the card has closed. */ onClose = () => {};

  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
    const close = el('button', { type: 'button', class: 'icon-button', 'aria-label': translate('Close') }, icon('close'));
    close.addEventListener('click', () => this.close());
    node.tabIndex = -1;
    node.replaceChildren(el('header', {}, this.#title, close), this.#body);
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !node.hidden && !event.defaultPrevented && !document.querySelector('dialog[open], :popover-open')) this.close();
    });
  }

  get isOpen() {
    return !this.node.hidden;
  }

  /**
   * @param {string} title
   * @param {{focus?: boolean}} [how] focus: moves the focus to the card, because it was opened from elsewhere
   */
  open(title, { focus = false } = {}) {
    const inside = this.node.contains(document.activeElement);
    if (!inside) this.#returnFocusTo = document.activeElement;
    this.#title.textContent = title;
    this.#body.replaceChildren(el('p', { class: 'card-time' }, translate('Loading…')));
    this.node.hidden = false;
    this.node.scrollTop = 0;
    if (focus || inside) this.node.focus({ preventScroll: true });
  }

  close() {
    if (!this.isOpen) return;
    const inside = this.node.contains(document.activeElement);
    this.node.hidden = true;
    if (inside) this.#restoreFocus();
    this.onClose();
  }

  /**
   * Replaces the content and keeps the focused control and open details.
   * @param {...Node} parts
   */
  setContent(...parts) {
    const held = this.#body.contains(document.activeElement) ? document.activeElement?.getAttribute('data-focus-key') : null;
    const open = [...this.#body.querySelectorAll('details[open]')].map((node) => node.className);
    this.#body.replaceChildren(...parts);
    for (const name of open) this.#body.querySelector(`details.${CSS.escape(name)}`)?.setAttribute('open', '');
    if (held === null) return;
    const again = held && this.#body.querySelector(`[data-focus-key="${CSS.escape(held)}"]`);
    (again instanceof HTMLElement ? again : this.node).focus({ preventScroll: true });
  }

  /** Returns the focus to where it came from, or to the canvas if that is gone or hidden. */
  #restoreFocus() {
    if (this.#returnFocusTo instanceof HTMLElement) this.#returnFocusTo.focus();
    if (document.activeElement === document.body || document.activeElement === null) document.getElementById('pixels')?.focus();
  }
}
