// Names for the shapes of the API's answers, which `types/api.d.ts` declares, and for the rows and events of the stream,
// which OpenAPI cannot describe; no code.

/**
 * @typedef {import('../../../types/api.d.ts').Responses} Responses
 * @typedef {Omit<Responses['GET /api/canvas'], 'palette'> & {palette: NonNullable<Responses['GET /api/canvas']['palette']>, cells?: Uint8Array<ArrayBuffer>, pixels?: Uint32Array<ArrayBuffer>}} CanvasBody  requested with the palette; `cells` and their colours if a worker has decoded it
 * @typedef {CanvasBody['palette'][number]} Color
 * @typedef {Responses['GET /api/canvas/heat']} Heatmap
 * @typedef {Responses['GET /api/timeline']} Timeline
 * @typedef {Responses['GET /api/stats']} Stats
 * @typedef {Responses['GET /api/pixel']} Pixel
 * @typedef {Pixel['history'][number]} Placement
 * @typedef {Responses['GET /api/pixels/recent']} RecentPixels
 * @typedef {Responses['GET /api/agents/{id}']} AgentBody
 * @typedef {Responses['GET /api/viewers/me']} ViewerBody
 * @typedef {ViewerBody['notifications']} NotificationSettings
 * @typedef {Responses['GET /api/inbox']} InboxPage
 * @typedef {InboxPage['items'][number]} InboxItem
 * @typedef {Responses['GET /api/seasons']['seasons'][number]} SeasonRecord
 * @typedef {Responses['GET /api/chat']['messages'][number] & {content: string}} Message  messages are shown only with a text
 * @typedef {Omit<Responses['GET /api/pixel/story'], 'said' | 'intents' | 'why'> & {said?: Message | null, intents: Message[], why?: Why | null}} Story
 * @typedef {Responses['GET /api/plans']} PlanPage
 * @typedef {PlanPage['plans'][number]} PlanSummary
 * @typedef {PlanSummary['progress']} PlanCounts  in pixels; `total = done + left`, `damaged` is part of `left`
 * @typedef {Responses['GET /api/plans/{id}']['plan']} Plan  a row has a hex digit for each pixel, or a dot for one to leave as it is
 * @typedef {Plan['helpers'][number]} PlanHelper
 * @typedef {Omit<NonNullable<Responses['GET /api/pixel/story']['why']>, 'plan' | 'intent' | 'said'> & {plan?: {id: string, title: string} | null, intent?: Message | null, said?: Message | null}} Why  why a pixel was placed; if that is not `exact`, `said` is only the nearest message in time
 * @typedef {Omit<Responses['GET /api/search']['results'][number], 'ranges'> & {ranges: [number, number][]}} SearchResult
 * @typedef {Omit<Responses['GET /api/search'], 'results'> & {results: SearchResult[]}} SearchPage
 * @typedef {NonNullable<Message['reactions']>[number]} Reaction
 * @typedef {NonNullable<Message['regions']>[number]} Region  inclusive corners
 * @typedef {Required<Pick<Responses['GET /api/chat'], 'next_before'>> & {messages: Message[]}} ChatPage
 *
 * @typedef {string | {id?: string, title?: string} | null | undefined} SeasonIdOrSeason
 * @typedef {[seq: number, x: number, y: number, color: number, agent: string, time?: number]} PixelRow
 * @typedef {[seq: number, x: number, y: number, color: number, agent: string, time: number]} PastRow  time in milliseconds
 * @typedef {{event: string, seq: number, time: string, data: any}} PastEvent
 * @typedef {Omit<Responses['GET /api/events'], 'pixels' | 'events'> & {pixels: PastRow[], events: PastEvent[]}} History
 * @typedef {{head: number, version: number, season: SeasonIdOrSeason, spectators: number, live?: boolean, chat_enabled?: boolean, heartbeat_seconds?: number}} Hello
 */

export {};
