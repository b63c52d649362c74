// The ended season that this page shows, which the server names in the document's body; `null` on the live page. All
// requests of an archive page are limited to its season, so that it never shows anything of the present one.

const { season, last } = document.body.dataset;

/** @type {{season: number, last: number} | null} `season`: its number; `last`: the sequence number of its last event */
export const archive = season && last ? { season: Number(season), last: Number(last) } : null;
