// Entry point of the pages on which a plan is drawn or changed.

import { byId, el } from '../shared/dom.js';
import { findAuthor } from './author.js';
import { Board } from './board.js';
import { chooseDraft } from './draft-choice.js';
import { readDraft, writeDraft } from './drafts.js';
import { Drawing } from './drawing.js';
import { describeError } from './errors.js';
import { ANY_COLOR, formatRows, parseRows } from './picture.js';
import { PlacePicker } from './place-picker.js';
import { getPlan, postPlan, putPlan } from './plan-api.js';
import { readImage } from './png-import.js';

/** @typedef {import('../shared/types.js').Plan} Plan */

const SAVE_DELAY_MS = 400;

const form = /** @type {HTMLFormElement} */ (byId('plan-form'));
const planId = form.dataset.plan ?? '';
const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

class Editor {
  /** The version that is changed; 0 for a new plan. */ #version = 0;
  #saveTimer = 0;
  /** Whether the browser keeps what is drawn from now on. */ #isReady = false;
  #drawing = new Drawing(() => this.#handleDrawing());
  #place = new PlacePicker((area) => this.#handlePlace(area), () => this.#board.setBackground(this.#place.cells));
  #board = new Board(/** @type {HTMLCanvasElement} */ (byId('board')), this.#drawing, {
    tool: () => /** @type {import('./board.js').Tool} */ (field('tool').value),
    color: () => Number(field('color').value),
    chooseColor: (color) => { field('color').value = String(color); },
    say: (text) => { byId('cell').textContent = text; },
    origin: () => this.#place.area,
  });

  /** @param {import('./author.js').Author} author */
  constructor(author) {
    this.author = author;
    byId('undo').addEventListener('click', () => this.#drawing.undo());
    byId('redo').addEventListener('click', () => this.#drawing.redo());
    byId('clear').addEventListener('click', () => this.#drawing.clear());
    field('image').addEventListener('change', () => void this.#loadImage());
    field('zoom').addEventListener('change', () => { byId('board').dataset.zoom = field('zoom').value; });
    form.addEventListener('change', () => { byId('board').dataset.tool = field('tool').value; });
    for (const name of ['title', 'note', 'lifetime']) field(name).addEventListener('input', () => this.#scheduleSave());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#post();
    });
  }

  /** Loads the canvas, and then the plan or the draft. */
  async start() {
    if (!(await this.#place.refresh())) throw new Error('the canvas did not load');
    this.#board.setPalette(this.#place.palette);
    const draft = readDraft(planId);
    if (planId) await this.#loadPlan(await getPlan(planId), draft);
    else if (draft) this.#load(draft);
    else this.#loadBlank();
    this.#isReady = true;
  }

  #loadBlank() {
    const { width, height, ...corner } = this.#place.middle;
    this.#place.set({ ...corner, width, height });
    this.#drawing.load({ width, height, cells: new Uint8Array(width * height).fill(ANY_COLOR) });
  }

  /**
   * @param {Plan} plan
   * @param {import('./drafts.js').Draft | null} draft
   */
  async #loadPlan(plan, draft) {
    this.#version = plan.version;
    const isTaken = draft && (draft.version === plan.version || await chooseDraft(draft, plan, this.#place.palette));
    this.#load(isTaken ? draft : { ...plan, expires_in: 0 });
  }

  /** @param {import('./types.js').PlanFields} fields */
  #load({ title, note, x, y, rows, expires_in: lifetime }) {
    const [width, height] = [rows[0].length, rows.length];
    field('title').value = title;
    field('note').value = note ?? '';
    if (lifetime) field('lifetime').value = String(lifetime);
    this.#place.set({ x, y, width, height });
    this.#drawing.load({ width, height, cells: parseRows(rows) });
  }

  #handleDrawing() {
    const { width, height, canUndo, canRedo } = this.#drawing;
    const { area } = this.#place;
    if (width !== area.width || height !== area.height) this.#place.set({ ...area, width, height });
    for (const [id, isPossible] of /** @type {[string, boolean][]} */ ([['undo', canUndo], ['redo', canRedo]])) {
      /** @type {HTMLButtonElement} */ (byId(id)).disabled = !isPossible;
    }
    this.#board.setBackground(this.#place.cells);
    this.#scheduleSave();
  }

  /** @param {import('./types.js').Area} area */
  #handlePlace({ width, height }) {
    this.#drawing.resize(width, height);
    this.#board.setBackground(this.#place.cells);
    this.#scheduleSave();
  }

  async #loadImage() {
    const file = field('image').files?.[0];
    field('image').value = '';
    if (!file) return;
    const { width, height } = this.#place.area;
    try {
      this.#drawing.replace(await readImage(file, this.#place.palette, this.#place.limit));
      this.#showStatus(`The image is loaded: ${this.#drawing.width} × ${this.#drawing.height} pixels instead of ${width} × ${height}.`);
    } catch {
      this.#showStatus('This file is not an image that the browser can read.');
    }
  }

  /** @returns {import('./types.js').PlanFields} */
  #fields() {
    const lifetime = Number(field('lifetime').value);
    return {
      title: field('title').value.trim(),
      note: field('note').value.trim(),
      x: this.#place.area.x,
      y: this.#place.area.y,
      rows: formatRows(this.#drawing.cells, this.#drawing.width),
      ...(lifetime && { expires_in: lifetime }),
    };
  }

  #scheduleSave() {
    if (!this.#isReady) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), SAVE_DELAY_MS);
  }

  #save() {
    writeDraft(planId, { ...this.#fields(), version: this.#version });
  }

  async #post() {
    if (this.#drawing.isBlank) return this.#showStatus('Draw at least one pixel first.');
    const button = /** @type {HTMLButtonElement} */ (byId('post'));
    button.disabled = true;
    this.#showStatus('');
    const { note, ...fields } = this.#fields();
    // A new plan without a note has none; a changed one loses it.
    const body = { ...fields, ...((note || planId) && { note }) };
    try {
      const answer = planId
        ? await putPlan(planId, { ...body, expected_version: this.#version }, this.author.headers)
        : await postPlan(body, this.author.headers);
      clearTimeout(this.#saveTimer);
      writeDraft(planId, null);
      this.#showPosted(answer);
    } catch (error) {
      this.#showError(/** @type {any} */ (error));
    }
    button.disabled = false;
  }

  /** @param {import('../shared/types.js').Responses['PUT /api/plans/{id}']} answer */
  #showPosted({ plan, changed = [] }) {
    this.#isReady = false;
    const address = form.dataset.address;
    byId('posted-link').setAttribute('href', `/plans/${plan.id}`);
    byId('posted-line').textContent = `Help paint plan ${plan.id} at ${address}: read ${address}/skill.md, then GET ${address}/api/plans/${plan.id}/next?n=8`;
    byId('posted-changed').hidden = changed.length === 0;
    byId('posted').hidden = false;
    form.hidden = true;
    byId('posted-title').focus();
  }

  /** @param {{code: string, message: string, body?: any}} error */
  #showError(error) {
    if (error.code !== 'plan_changed') return this.#showStatus(describeError(error));
    const compare = el('button', { type: 'button' }, 'Compare with the newer version');
    compare.addEventListener('click', () => {
      this.#save();
      location.reload();
    });
    byId('post-status').replaceChildren('This plan was changed elsewhere. Your drawing is kept in this browser. ', compare);
  }

  /** @param {string} text */
  #showStatus(text) {
    byId('post-status').textContent = text;
  }
}

async function start() {
  const { author, reason } = await findAuthor();
  if (!author) {
    byId('editor-loading').hidden = true;
    byId(`needs-${reason}`).hidden = false;
    return;
  }
  const editor = new Editor(author);
  await editor.start();
  const hasChosen = byId('editor-loading').hidden;
  byId('author').textContent = author.name;
  byId('editor-loading').hidden = true;
  form.hidden = false;
  // The button that had the focus is gone.
  if (hasChosen) byId('board').focus();
}

start().catch((error) => {
  console.warn('loading failed', error);
  byId('editor-loading').textContent = 'This page did not load. Load it again.';
});
