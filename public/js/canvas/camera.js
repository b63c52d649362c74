// The visible part of the canvas and its zoom: arithmetic between canvas cells and device pixels, without DOM.

const MAX_CELL_CSS_PX = 64;

export class Camera {
  /** Canvas size in cells. */ columns = 128;
  rows = 128;
  /** Size of the visible area in device pixels. */ viewWidth = 1;
  viewHeight = 1;
  dpr = 1;
  /** Centre of the visible area, in cells. */ x = 64;
  y = 64;
  /** Device pixels per cell, not rounded, so that small wheel steps add up. */ zoom = 0;

  /** The largest cell, in device pixels, at which the whole canvas fits; a whole number where possible. */
  get fitCell() {
    return fitCell(this.viewWidth / this.columns, this.viewHeight / this.rows);
  }

  /** The drawn cell size. Whole device pixels keep cells crisp; only the whole canvas on a small screen may need a fraction. */
  get cell() {
    if (this.zoom <= this.fitCell) return this.zoom;
    return this.zoom >= 1 ? Math.max(this.fitCell, Math.round(this.zoom)) : this.zoom;
  }

  get cssCell() {
    return this.cell / this.dpr;
  }

  get isFitted() {
    return this.cell <= this.fitCell * 1.001;
  }

  /** Device-pixel position of the canvas's top left corner. */
  get originX() {
    return Math.round(this.viewWidth / 2 - this.x * this.cell);
  }

  get originY() {
    return Math.round(this.viewHeight / 2 - this.y * this.cell);
  }

  /**
   * Returns the cell, with fraction, at a point of the visible area in device pixels.
   * @param {number} px
   * @param {number} py
   */
  cellAt(px, py) {
    return { x: (px - this.originX) / this.cell, y: (py - this.originY) / this.cell };
  }

  /**
   * Changes the zoom and keeps the cell under the point in place.
   * @param {number} zoom
   * @param {number} px
   * @param {number} py
   */
  zoomAt(zoom, px, py) {
    const anchor = this.cellAt(px, py);
    this.zoom = zoom;
    this.#limitZoom();
    this.x = anchor.x - (px - this.viewWidth / 2) / this.cell;
    this.y = anchor.y - (py - this.viewHeight / 2) / this.cell;
    this.clamp();
  }

  /**
   * Moves the view by device pixels.
   * @param {number} dx device pixels
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.x -= dx / this.cell;
    this.y -= dy / this.cell;
    this.clamp();
  }

  #limitZoom() {
    const maxZoom = Math.max(MAX_CELL_CSS_PX * this.dpr, this.fitCell);
    this.zoom = Math.min(maxZoom, Math.max(this.fitCell, this.zoom));
  }

  /** Keeps the zoom in range and the visible area on the canvas. */
  clamp() {
    this.#limitZoom();
    this.x = clampCentre(this.x, this.columns, this.viewWidth / this.cell);
    this.y = clampCentre(this.y, this.rows, this.viewHeight / this.cell);
  }
}

/**
 * Returns the cell size for a whole canvas from the sizes that width and height would allow.
 * @param {number} x
 * @param {number} y
 */
export function fitCell(x, y) {
  const exact = Math.min(x, y);
  const whole = Math.floor(exact + 0.001);
  // With cells of one to three pixels, rounding down would waste up to half of a small screen.
  const wasteful = exact < 4 && whole < exact * 0.88;
  return exact < 1 || wasteful ? exact : whole;
}

/**
 * @param {number} centre
 * @param {number} size
 * @param {number} visible
 */
function clampCentre(centre, size, visible) {
  if (visible >= size) return size / 2;
  return Math.min(size - visible / 2, Math.max(visible / 2, centre));
}
