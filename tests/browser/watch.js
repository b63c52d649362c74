// Runs before a page's own scripts: records when its picture, its canvas and its first text were visible, when it was live, and
// all layout shifts.

window.pictured = 0;
window.painted = 0;
window.lived = 0;
window.words = 0;
window.moved = [];
for (const name of ['drawImage', 'putImageData']) {
  const draw = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function drawn(...all) {
    if (this.canvas.id === 'pixels' && !window.painted) {
      window.painted = -1;
      // The second frame starts after the first one has been shown.
      requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now(); }));
    }
    return draw.apply(this, all);
  };
}
const observe = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
observe('largest-contentful-paint', ({ element, startTime }) => { if (element?.id === 'picture') window.pictured ||= startTime; });
new MutationObserver(() => {
  if (document.getElementById('status')?.dataset.state === 'live') window.lived ||= performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'] });
observe('paint', ({ startTime }) => { window.words ||= startTime; });
observe('layout-shift', ({ value, startTime, sources }) => window.moved.push({
  value, startTime, nodes: sources.map(({ node, previousRect, currentRect }) => [
    node?.outerHTML?.slice(0, 120) ?? node?.textContent?.slice(0, 80) ?? '', previousRect, currentRect,
  ]),
}));
