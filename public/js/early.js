// Sets the chosen theme before the first paint; a classic script because modules run too late for that.
(function () {
  try {
    var chosen = localStorage.getItem('theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch (_) { /* storage may be forbidden; the system's preference holds then */ }
})();
