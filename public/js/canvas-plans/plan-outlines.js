// Draws the outlines of plans over the canvas, and the picture of the plan that is selected or pointed at.

import { PastPlans } from './past-plans.js';
import { drawGhost } from './plan-ghost.js';
import { PlanLabels } from './plan-labels.js';
import { isSeen, toBox } from '../canvas/overlay.js';

/** @typedef {import('../canvas/camera.js').Camera} Camera */
/** @typedef {import('../canvas/canvas-view.js').CanvasView} CanvasView */
/** @typedef {import('./live-plan.js').LivePlan} LivePlan */

const DASH_CSS_PX = 5;

export class PlanOutlines {
  #isOn = false;
  #isPast = false;
  /** @type {LivePlan | null} */ #selected = null;
  /** @type {LivePlan | null} */ #pointedAt = null;
  #labels;
  #pastPlans = new PastPlans(() => this.redraw());

  /**
   * @param {CanvasView} view
   * @param {import('./plan-store.js').PlanStore} store
   * @param {HTMLElement} layers
   */
  constructor(view, store, layers) {
    this.view = view;
    this.store = store;
    this.#labels = new PlanLabels(layers, view.camera, store);
    this.#handleMoment(view.state.shownSeq !== null);
    view.renderer.overlay.layers.push(this);
    view.momentListeners.push((isPast) => this.#handleMoment(isPast));
    view.moveListeners.push(() => this.#updateLabels());
    store.listeners.push(() => this.redraw());
  }

  /** @param {boolean} isPast */
  #handleMoment(isPast) {
    if (isPast && !this.#isPast && this.#isOn) this.#pastPlans.load();
    this.#isPast = isPast;
    this.redraw();
  }

  get isOn() {
    return this.#isOn;
  }

  /** Shows or hides the outlines of all open plans. */
  set isOn(isOn) {
    this.#isOn = isOn;
    if (isOn && this.#isPast) this.#pastPlans.load();
    this.redraw();
  }

  /** Shows the picture of this plan; `null` ends it. @param {LivePlan | null} plan */
  select(plan) {
    this.#selected = plan;
    this.#showPicture(plan);
  }

  /** Shows the picture of a plan while the visitor points at it. @param {LivePlan | null} plan */
  pointAt(plan) {
    this.#pointedAt = plan;
    this.#showPicture(plan);
  }

  /** @param {LivePlan | null} plan */
  #showPicture(plan) {
    if (plan) this.store.request(plan);
    this.redraw();
  }

  redraw() {
    this.view.renderer.markOverlayDirty();
    this.#updateLabels();
  }

  /** The plan whose picture is shown. */
  get #shown() {
    return this.#pointedAt ?? this.#selected;
  }

  /** The plans with an outline: the open ones, in the past those of the shown moment. */
  get #outlined() {
    if (this.#isPast) return this.#isOn ? this.#pastPlans.at(this.view.state.shownTime ?? 0) : [];
    const named = [this.#selected, this.#pointedAt].filter((plan) => plan !== null);
    return [...new Set([...(this.#isOn ? this.store.all.filter(({ isOpen }) => isOpen) : []), ...named])];
  }

  /** Whether there is anything to draw. */
  get isVisible() {
    return this.#outlined.length > 0 || (!this.#isPast && Boolean(this.#shown?.progress));
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Camera} camera
   */
  draw(context, camera) {
    // While a replay goes on, plans begin and end.
    if (this.#isPast) this.#updateLabels();
    const shown = this.#isPast ? null : this.#shown;
    if (shown?.progress) drawGhost(context, camera, shown.progress, this.view.state);
    for (const plan of this.#outlined) {
      const box = toBox(camera, plan.region);
      if (isSeen(camera, box)) drawOutline(context, camera, box, plan === shown || plan.id === this.#selected?.id);
    }
  }

  #updateLabels() {
    this.#labels.update(this.#outlined, this.#isPast ? null : this.#shown, this.#isPast);
  }
}

/**
 * Draws a dashed line, or a plain one in the accent colour; its dark edge makes it visible on any paint.
 * @param {CanvasRenderingContext2D} context
 * @param {Camera} camera
 * @param {import('../canvas/overlay.js').Box} box
 * @param {boolean} isMarked
 */
function drawOutline(context, { dpr }, { x, y, width, height }, isMarked) {
  const line = Math.max(1, Math.round((isMarked ? 1.75 : 1) * dpr));
  const stroke = (/** @type {number} */ lineWidth, /** @type {string} */ color) => {
    context.lineWidth = lineWidth;
    context.strokeStyle = color;
    context.strokeRect(x - line, y - line, width + 2 * line, height + 2 * line);
  };
  context.save();
  stroke(line * 2, '#14100c');
  if (!isMarked) context.setLineDash([DASH_CSS_PX * dpr, DASH_CSS_PX * dpr]);
  stroke(line, isMarked ? '#ffb84d' : '#fff');
  context.restore();
}
