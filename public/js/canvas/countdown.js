// A season's end on the museum label: how long is left, or that it is over. Imported only where there is an end.

const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** @type {number | undefined} */ let ticking;

/**
 * @param {string | null | undefined} endsAt
 * @param {string | null | undefined} frozenAt
 * @param {() => number} now in milliseconds
 */
export function showEnd(endsAt, frozenAt, now) {
  clearInterval(ticking);
  const end = frozenAt || !endsAt ? null : Date.parse(endsAt);
  const { term, value } = rowOf();
  term.hidden = value.hidden = !frozenAt && end === null;
  const tick = () => {
    const left = end === null ? 0 : Math.max(0, end - now());
    put(term, left > 0 ? 'Ends in' : 'This season');
    put(value, left > 0 ? lasting(left) : 'last view');
    if (left === 0) clearInterval(ticking);
  };
  ticking = window.setInterval(tick, SECOND);
  tick();
}

/**
 * @param {HTMLElement} node
 * @param {string} text
 */
function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
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
