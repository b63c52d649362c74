// Labels with the title and the percentage or the state of plans, beside their outlines while they are large enough.

import { el, nameTag } from '../shared/dom.js';
import { translate } from '../shared/translate.js';

/** @typedef {import('../canvas/camera.js').Camera} Camera */
/** @typedef {import('./live-plan.js').LivePlan} LivePlan */

const MIN_CELL_CSS_PX = 8;
const MAX_LABELS = 24;
const GAP_CSS_PX = 4;
const LABEL_HEIGHT_CSS_PX = 20;

export class PlanLabels {
  /** @type {Map<LivePlan, {node: HTMLElement, percent: HTMLElement, title: string}>} */ #labels = new Map();

  /**
   * @param {HTMLElement} layers
   * @param {Camera} camera
   * @param {import('./plan-store.js').PlanStore} store
   */
  constructor(layers, camera, store) {
    this.layers = layers;
    this.camera = camera;
    this.store = store;
  }

  /**
   * Shows the labels of these plans, and of one of them at any zoom. In the past the percentage is not known.
   * @param {LivePlan[]} plans
   * @param {LivePlan | null} marked
   * @param {boolean} isPast
   */
  update(plans, marked, isPast) {
    const isNear = this.camera.cssCell >= MIN_CELL_CSS_PX;
    const shown = plans.filter((plan) => (isNear || plan === marked) && this.#position(plan)).slice(0, MAX_LABELS);
    for (const [plan, { node }] of this.#labels) {
      if (shown.includes(plan)) continue;
      node.remove();
      this.#labels.delete(plan);
    }
    for (const plan of shown) this.#show(plan, plan === marked, isPast);
  }

  /**
   * @param {LivePlan} plan
   * @param {boolean} isMarked
   * @param {boolean} isPast
   */
  #show(plan, isMarked, isPast) {
    if (!isPast) this.store.request(plan);
    const { title } = plan.summary;
    let label = this.#labels.get(plan);
    if (label?.title !== title) {
      label?.node.remove();
      const percent = el('span', { class: 'num' });
      label = { node: el('span', { class: 'plan-label', 'aria-hidden': 'true' }, nameTag(title), percent), percent, title };
      this.#labels.set(plan, label);
      this.layers.append(label.node);
    }
    label.node.toggleAttribute('data-marked', isMarked);
    label.percent.textContent = isPast ? '' : plan.isFinished ? translate('Finished') : `${plan.percent} %`;
    const at = this.#position(plan);
    if (at) label.node.style.transform = `translate(max(${GAP_CSS_PX}px, min(${at.left}px, ${at.edge}px - 100%)), ${at.top}px)`;
  }

  /**
   * Returns the place of a label: above its plan, or inside at the upper edge of the view, with the edge of the view at
   * its right; `null` out of sight.
   * @param {LivePlan} plan
   */
  #position({ region }) {
    const { cssCell, dpr, originX, originY } = this.camera;
    const [width, height] = [this.camera.viewWidth / dpr, this.camera.viewHeight / dpr];
    const [left, top] = [originX / dpr + region.x1 * cssCell, originY / dpr + region.y1 * cssCell];
    const [right, bottom] = [originX / dpr + (region.x2 + 1) * cssCell, originY / dpr + (region.y2 + 1) * cssCell];
    if (right < 0 || bottom < 0 || left > width || top > height) return null;
    const above = top - GAP_CSS_PX - LABEL_HEIGHT_CSS_PX;
    return { left: Math.round(left), edge: Math.floor(width) - GAP_CSS_PX, top: Math.round(above >= 0 ? above : Math.max(GAP_CSS_PX, top + GAP_CSS_PX)) };
  }
}
