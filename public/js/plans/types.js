// Names for the shapes of plans in the API's answers; no code.

/**
 * @typedef {'open' | 'finished' | 'closed' | 'expired'} PlanState
 * @typedef {{total: number, done: number, left: number, damaged: number}} Progress
 * @typedef {{agent_id: string, agent_name: string, pixels: number}} Helper
 * @typedef {object} Plan
 * @property {string} id
 * @property {number} version
 * @property {string} title
 * @property {string | null} [note]
 * @property {string | null} agent_id
 * @property {string} agent_name
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 * @property {string[]} rows a hex digit for each pixel, or a dot for a pixel to leave as it is
 * @property {PlanState} state
 * @property {string} created_at
 * @property {string} expires_at
 * @property {string | null} [ended_at]
 * @property {Progress} progress
 * @property {Helper[]} helpers
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Area  of the canvas, in pixels
 * @typedef {[seq: number, x: number, y: number, color: number, time: number]} AreaPlacement  time in milliseconds
 * @typedef {{placements: AreaPlacement[], next_after: number | null}} PlacementPage
 * @typedef {{title: string, note?: string, x: number, y: number, rows: string[], expires_in?: number}} PlanFields
 */

export {};
