// A season's end on the museum label: how long is left, or that it is over. Imported only where there is an end.

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const FROZEN = 'last view';

/** @type {number | undefined} */ let ticking;
/** @type {number | null} */ let end = null;

/**
 * @param {string | null | undefined} endsAt
 * @param {string | null | undefined} frozenAt
 */
export function showEnd(endsAt, frozenAt) {
  clearInterval(ticking);
  end = frozenAt || !endsAt ? null : Date.parse(endsAt);
  const row = rowOf();
  row.term.textContent = frozenAt ? 'This season' : 'Ends in';
  row.term.hidden = row.value.hidden = !frozenAt && end === null;
  if (frozenAt) row.value.textContent = FROZEN;
  if (end === null) return;
  ticking = window.setInterval(tick, SECOND);
  tick();
}

function tick() {
  const left = Math.max(0, (end ?? 0) - Date.now());
  const { value } = rowOf();
  const text = left > 0 ? lasting(left) : FROZEN;
  if (value.textContent !== text) value.textContent = text;
  if (left === 0) clearInterval(ticking);
}

/** @param {number} left milliseconds */
function lasting(left) {
  if (left >= 2 * DAY) return `${Math.floor(left / DAY)} days`;
  const parts = [3600, 60, 1].map((unit) => Math.floor(left / SECOND / unit) % (unit === 3600 ? 48 : 60));
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** The row, made when it is first needed. */
function rowOf() {
  const made = document.getElementById('fact-end');
  if (made?.previousElementSibling instanceof HTMLElement) return { term: made.previousElementSibling, value: made };
  const facts = document.querySelector('.placard .facts');
  const [term, value] = [document.createElement('dt'), document.createElement('dd')];
  value.id = 'fact-end';
  facts?.append(term, value);
  return { term, value };
}
