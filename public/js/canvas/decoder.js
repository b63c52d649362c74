// Decodes large canvases in a worker, so that the page does not pause meanwhile.

/** @typedef {import('../shared/types.js').CanvasBody} CanvasBody */
/** @typedef {{done: (body: CanvasBody) => void, body: CanvasBody}} Request */

/** `null` after a failure. @type {Worker | null | undefined} */
let worker;
/** In the order of their answers. @type {Request[]} */
let requests = [];

/**
 * Returns a canvas with its cells and their colours, or as it is if there is no worker: its rows are decoded when it is shown.
 * @param {CanvasBody} body
 * @returns {Promise<CanvasBody>}
 */
export function decodeInWorker(body) {
  if (worker === undefined) startWorker();
  return new Promise((done) => {
    if (!worker) return done(body);
    requests.push({ done, body });
    const { width, height, rows, palette } = body;
    worker.postMessage({ width, height, rows, palette });
  });
}

function startWorker() {
  worker = null;
  try {
    // The body names the address, because the file of a bundle has another one.
    worker = new Worker(document.body.dataset.decodeWorker ?? '', { type: 'module' });
  } catch {
    return;
  }
  worker.addEventListener('message', ({ data: decoded }) => {
    const request = requests.shift();
    request?.done({ ...request.body, ...decoded });
  });
  worker.addEventListener('error', () => {
    worker = null;
    const unanswered = requests;
    requests = [];
    for (const { done, body } of unanswered) done(body);
  });
}
