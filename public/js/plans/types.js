// Names for shapes that only the pages of plans use; no code.

/**
 * @typedef {{x: number, y: number, width: number, height: number}} Area  of the canvas, in pixels
 * @typedef {[seq: number, x: number, y: number, color: number, time: number]} AreaPlacement  time in milliseconds
 * @typedef {Omit<import('../shared/types.js').Responses['GET /plans/{id}/placements'], 'placements'> & {placements: AreaPlacement[]}} PlacementPage
 * @typedef {import('../../../types/api.d.ts').NewPlanBody} PlanFields
 */

export {};
