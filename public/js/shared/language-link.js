// The links to the page in the other language.

/** Makes the links keep the view: a redirect keeps what is after the `#`. */
export function startLanguageLinks() {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a.language'))) {
    link.addEventListener('click', () => { link.hash = location.hash; });
  }
}
