// Sets the wall that the address asks for before the first paint; a classic script because modules run too late for that.
(function () {
  var wanted = new URLSearchParams(location.search).get('theme');
  if (wanted === 'light' || wanted === 'dark') document.documentElement.dataset.theme = wanted;
})();
