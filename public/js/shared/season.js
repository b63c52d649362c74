// Normalises a season, which the API sends as an id or as an object.

/**
 * @param {import('./types.js').SeasonIdOrSeason} season
 * @returns {{id: string, title: string}}
 */
export function seasonOf(season) {
  if (typeof season === 'string') return { id: season, title: '' };
  return { id: season?.id ?? '', title: season?.title ?? '' };
}
