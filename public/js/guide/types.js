// Names for the shapes of the guide's answers, which `types/api.d.ts` declares, and for what its parts share; no code.

/**
 * @typedef {import('../shared/types.js').Responses} Responses
 * @typedef {import('../shared/types.js').Region} Region
 * @typedef {Responses['GET /api/guide/messages']} GuideMessages
 * @typedef {GuideMessages['messages'][number]} GuideMessage
 * @typedef {GuideMessages['budget']} GuideBudget
 * @typedef {GuideMessage['trace'][number]} ToolStep
 * @typedef {ToolStep['status']} ToolStatus
 * @typedef {Responses['GET /api/guide/drafts']} DraftPage
 * @typedef {Omit<DraftPage['drafts'][number], 'change' | 'result'> & {change: Record<string, any>, result?: Record<string, any> | null}} Draft  `change` has the fields of the request that makes the change, `result` is its response
 * @typedef {Draft['kind']} DraftKind
 * @typedef {Draft['state']} DraftState
 * @typedef {import('../../../types/api.d.ts').GuideContext} GuideContext
 * @typedef {{seq: number} | {time: number}} Moment  the number of an event, or a time in milliseconds
 *
 * @typedef {object} PageActions  what answers and drafts can do with the page
 * @property {(x: number, y: number) => boolean} contains returns whether the canvas has this pixel
 * @property {(regions: Region[]) => void} outline
 * @property {(region: Region) => void} visit shows a region, or a single pixel
 * @property {(moment: Moment) => void} showMoment
 * @property {(id: string) => void} showMessage shows a message in the chat
 * @property {() => import('../shared/types.js').Color[]} palette
 */

export {};
