// The season that the page shows, and seasons in the API's answers.

const { season, last } = document.body.dataset;

/**
 * The ended season that this page shows, which the server names in the document's body; `null` on the live page. All
 * requests of an archive page are limited to its season, so that it never shows anything of the present one; the list of
 * plans is of all seasons, and the page takes those of its season from it.
 * @type {{season: number, last: number} | null} `season`: its number; `last`: the sequence number of its last event
 */
export const archive = season && last ? { season: Number(season), last: Number(last) } : null;

/**
 * Normalises a season, which the API sends as an id or as an object.
 * @param {import('./types.js').SeasonIdOrSeason} given
 * @returns {{id: string, title: string}}
 */
export function seasonOf(given) {
  if (typeof given === 'string') return { id: given, title: '' };
  return { id: given?.id ?? '', title: given?.title ?? '' };
}
