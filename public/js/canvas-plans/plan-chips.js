// The links to plans in messages and on cards: they get the plan's title, and select the plan on the canvas.

import { byId, nameTag } from '../shared/dom.js';
import { translateNodes } from '../shared/translate.js';

const LINKS = 'a.plan-chip[data-plan]';

export class PlanChips {
  /** @type {Map<string, string>} the titles by id */ #titles = new Map();

  /** @param {(id: string) => void} show selects a plan */
  constructor(show) {
    document.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest(LINKS) : null;
      // With such a key, the browser opens the plan's page in another tab.
      if (!(link instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(link.dataset.plan ?? '');
    });
    const messages = byId('messages');
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) this.#nameLinks(node.querySelectorAll(LINKS));
    }).observe(messages, { childList: true });
  }

  /**
   * Takes the title of a plan, also for the messages that are there already.
   * @param {string} id
   * @param {string} title
   */
  learn(id, title) {
    if (this.#titles.get(id) === title) return;
    this.#titles.set(id, title);
    this.#nameLinks(byId('messages').querySelectorAll(`${LINKS}[data-plan="${CSS.escape(id)}"]`));
  }

  /** @param {Iterable<Element>} links */
  #nameLinks(links) {
    for (const link of links) {
      const title = this.#titles.get(/** @type {HTMLElement} */ (link).dataset.plan ?? '');
      if (title) link.replaceChildren(...translateNodes('Plan: {title}', { title: nameTag(title) }));
    }
  }
}
