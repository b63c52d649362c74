// Counts the progress of a plan from its picture and the canvas, placement by placement, as the server does.

/** @typedef {import('../shared/types.js').Plan} Plan */
/** @typedef {import('../shared/types.js').PlanCounts} PlanCounts */

/** Stands for a pixel to leave as it is. */
const ANY_COLOR = -1;

export class PlanProgress {
  #right;
  #wasRight;
  #total = 0;
  #done = 0;
  /** Damaged pixels that are known one by one. */ #knownDamaged = 0;
  /** Further damaged pixels: the server counts them but does not list them. */ #unknownDamaged = 0;
  /** True after a pixel was painted right that may have been one of those. */ isUncertain = false;

  /** @param {Pick<Plan, 'x' | 'y' | 'width' | 'height' | 'rows'>} plan */
  constructor({ x, y, width, height, rows }) {
    Object.assign(this, { x, y, width, height });
    /** The wanted palette indexes, row by row. */
    this.cells = Int8Array.from(rows.join(''), (digit) => (digit === '.' ? ANY_COLOR : parseInt(digit, 16)));
    this.#right = new Uint8Array(this.cells.length);
    this.#wasRight = new Uint8Array(this.cells.length);
    this.#total = this.cells.filter((color) => color !== ANY_COLOR).length;
  }

  x = 0;
  y = 0;
  width = 0;
  height = 0;

  /** Returns whether this is the picture of a plan, at the same place. @param {Plan} plan */
  isOf({ x, y, width, height, rows }) {
    if (this.x !== x || this.y !== y || this.width !== width || this.height !== height) return false;
    const digits = rows.join('');
    return this.cells.every((color, index) => (color === ANY_COLOR ? '.' : color.toString(16)) === digits[index]);
  }

  /**
   * Counts again from the whole canvas; what is known to have been right stays known.
   * @param {Uint8Array} canvas palette indexes
   * @param {number} columns the width of the canvas
   */
  recount(canvas, columns) {
    this.#done = 0;
    this.#knownDamaged = 0;
    this.cells.forEach((color, index) => {
      if (color === ANY_COLOR) return;
      const isRight = canvas[(this.y + Math.floor(index / this.width)) * columns + this.x + index % this.width] === color;
      this.#right[index] = Number(isRight);
      this.#done += Number(isRight);
      if (isRight) this.#wasRight[index] = 1;
      else this.#knownDamaged += this.#wasRight[index];
    });
  }

  /**
   * Takes over the damaged pixels that the server counts and lists; it does not list all if they are many.
   * @param {number} damaged
   * @param {{x: number, y: number}[]} listed
   */
  setDamaged(damaged, listed) {
    this.isUncertain = false;
    this.#wasRight.set(this.#right);
    const wrong = listed.map(({ x, y }) => this.indexOf(x, y)).filter((index) => index >= 0 && this.isWrong(index));
    for (const index of wrong) this.#wasRight[index] = 1;
    this.#knownDamaged = wrong.length;
    this.#unknownDamaged = Math.max(0, damaged - wrong.length);
  }

  /**
   * Applies a placement; returns whether it changed the progress.
   * @param {number} x
   * @param {number} y
   * @param {number} color palette index
   */
  apply(x, y, color) {
    const index = this.indexOf(x, y);
    if (index < 0 || this.cells[index] === ANY_COLOR) return false;
    const isRight = this.cells[index] === color;
    if (isRight === Boolean(this.#right[index])) return false;
    this.#right[index] = Number(isRight);
    this.#done += isRight ? 1 : -1;
    if (!isRight) this.#knownDamaged++;
    else if (this.#wasRight[index]) this.#knownDamaged--;
    else if (this.#unknownDamaged) this.isUncertain = true;
    this.#wasRight[index] = 1;
    return true;
  }

  /** @returns {PlanCounts} */
  get counts() {
    const [total, done, left] = [this.#total, this.#done, this.#total - this.#done];
    return { total, done, left, damaged: Math.min(left, this.#knownDamaged + this.#unknownDamaged) };
  }

  /**
   * Returns the place of a pixel in `cells`, or -1 outside the picture.
   * @param {number} x
   * @param {number} y
   */
  indexOf(x, y) {
    const [column, row] = [x - this.x, y - this.y];
    return column >= 0 && row >= 0 && column < this.width && row < this.height ? row * this.width + column : -1;
  }

  /** Returns whether a pixel of the picture does not have its colour. @param {number} index */
  isWrong(index) {
    return this.cells[index] !== ANY_COLOR && !this.#right[index];
  }

  /** Returns whether a pixel is known to have been right and was painted over. @param {number} index */
  isDamaged(index) {
    return this.isWrong(index) && Boolean(this.#wasRight[index]);
  }
}
