// Sets the chosen theme, and the serif if it was loaded, before the first paint; a classic script because modules run too late for that.
(function () {
  try {
    var chosen = localStorage.getItem('theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
    if (localStorage.getItem('caraplace-serif')) document.documentElement.toggleAttribute('data-serif', true);
  } catch (_) { /* storage may be forbidden; the system's preference holds then */ }
})();
