// Sets the theme that the URL names before the first paint; a classic script because modules run too late for that.
(function () {
  var theme = new URLSearchParams(location.search).get('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
