// A season as the page needs it, whether the server names it by its id or describes it.

/**
 * @param {import('./types.js').SeasonLike} season
 * @returns {{id: string, title: string}}
 */
export function seasonOf(season) {
  if (typeof season === 'string') return { id: season, title: '' };
  return { id: season?.id ?? '', title: season?.title ?? '' };
}
