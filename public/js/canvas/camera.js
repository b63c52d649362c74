// Where one looks and how near: pure arithmetic between cells of the canvas and device pixels of the screen.

const NEAREST_CSS_PX = 64;

export class Camera {
  /** canvas size in cells */ columns = 128;
  rows = 128;
  /** window size in device pixels */ viewWidth = 1;
  viewHeight = 1;
  dpr = 1;
  /** centre of the window, in cells */ x = 64;
  y = 64;
  /** device pixels per cell, unrounded so that slow wheels add up */ zoom = 0;

  /** Largest cell at which the whole canvas fits, whole device pixels where possible. */
  get fitCell() {
    return fitCell(this.viewWidth / this.columns, this.viewHeight / this.rows);
  }

  /** Cells are whole device pixels, which keeps them crisp; only the whole canvas on a small screen is not. */
  get cell() {
    if (this.zoom <= this.fitCell) return this.zoom;
    return this.zoom >= 1 ? Math.max(this.fitCell, Math.round(this.zoom)) : this.zoom;
  }

  get cssCell() {
    return this.cell / this.dpr;
  }

  get fitted() {
    return this.cell <= this.fitCell * 1.001;
  }

  /** Device-pixel position of the canvas' corner. */
  get originX() {
    return Math.round(this.viewWidth / 2 - this.x * this.cell);
  }

  get originY() {
    return Math.round(this.viewHeight / 2 - this.y * this.cell);
  }

  /**
   * The cell (with fraction) under a point of the window in device pixels.
   * @param {number} px
   * @param {number} py
   */
  cellAt(px, py) {
    return { x: (px - this.originX) / this.cell, y: (py - this.originY) / this.cell };
  }

  /**
   * Changes the zoom and keeps the cell under the point where it is.
   * @param {number} zoom
   * @param {number} px
   * @param {number} py
   */
  zoomAt(zoom, px, py) {
    const held = this.cellAt(px, py);
    this.zoom = zoom;
    this.#limitZoom();
    this.x = held.x - (px - this.viewWidth / 2) / this.cell;
    this.y = held.y - (py - this.viewHeight / 2) / this.cell;
    this.clamp();
  }

  /**
   * @param {number} dx device pixels
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.x -= dx / this.cell;
    this.y -= dy / this.cell;
    this.clamp();
  }

  #limitZoom() {
    const nearest = Math.max(NEAREST_CSS_PX * this.dpr, this.fitCell);
    this.zoom = Math.min(nearest, Math.max(this.fitCell, this.zoom));
  }

  /** Keeps the zoom in range and the window on the canvas. */
  clamp() {
    this.#limitZoom();
    this.x = clampCentre(this.x, this.columns, this.viewWidth / this.cell);
    this.y = clampCentre(this.y, this.rows, this.viewHeight / this.cell);
  }
}

/**
 * The cell for a whole canvas, from the room that each side would give it.
 * @param {number} x
 * @param {number} y
 */
export function fitCell(x, y) {
  const exact = Math.min(x, y);
  const whole = Math.floor(exact + 0.001);
  // Among a few pixels, rounding down would waste up to half of a small screen: size matters more there.
  const wasteful = exact < 4 && whole < exact * 0.88;
  return exact < 1 || wasteful ? exact : whole;
}

/**
 * @param {number} centre
 * @param {number} size
 * @param {number} seen
 */
function clampCentre(centre, size, seen) {
  if (seen >= size) return size / 2;
  return Math.min(size - seen / 2, Math.max(seen / 2, centre));
}
