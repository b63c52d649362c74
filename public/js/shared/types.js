// Names for the shapes of the API's answers, which `types/api.d.ts` declares, and for the rows and events of the stream,
// which OpenAPI cannot describe; no code.

/**
 * @typedef {import('../../../types/api.d.ts').Responses} Responses
 * @typedef {Omit<Responses['GET /api/canvas'], 'palette'> & {palette: NonNullable<Responses['GET /api/canvas']['palette']>}} CanvasBody  requested with the palette
 * @typedef {CanvasBody['palette'][number]} Color
 * @typedef {Responses['GET /api/canvas/heat']} Heatmap
 * @typedef {Responses['GET /api/timeline']} Timeline
 * @typedef {Responses['GET /api/stats']} Stats
 * @typedef {Responses['GET /api/pixel']} Pixel
 * @typedef {Pixel['history'][number]} Placement
 * @typedef {Responses['GET /api/pixels/recent']} RecentPixels
 * @typedef {Responses['GET /api/agents/{id}']} AgentBody
 * @typedef {{mail: boolean, mail_available: boolean, push_key?: string | null, push_devices: number}} NotificationSettings
 * @typedef {Responses['GET /api/viewers/me'] & {unread?: number, notifications?: NotificationSettings}} ViewerBody
 * @typedef {Responses['GET /api/inbox']} InboxPage
 * @typedef {InboxPage['items'][number]} InboxItem
 * @typedef {Responses['GET /api/seasons']['seasons'][number]} SeasonRecord
 * @typedef {Responses['GET /api/chat']['messages'][number] & {seq: number, content: string, edited_at?: string | null, plan_id?: string | null}} Message  public messages have a number, and are shown only with a text
 * @typedef {Omit<Responses['GET /api/pixel/story'], 'said' | 'intents' | 'why'> & {said?: Message | null, intents: Message[], why?: Why | null}} Story
 * @typedef {{total: number, done: number, left: number, damaged: number}} PlanCounts  in pixels; `total = done + left`, `damaged` is part of `left`
 * @typedef {{agent_id: string, agent_name: string, pixels: number}} PlanHelper
 * @typedef {{id: string, version: number, title: string, note?: string | null, agent_id?: string | null, agent_name: string, x: number, y: number, width: number, height: number, state: 'open' | 'finished' | 'closed' | 'expired', created_at: string, expires_at: string, ended_at?: string | null, progress: PlanCounts}} PlanSummary
 * @typedef {PlanSummary & {rows: string[], helpers: PlanHelper[]}} Plan  a row has a hex digit for each pixel, or a dot for one to leave as it is
 * @typedef {{exact: boolean, plan?: {id: string, title: string, state: string} | null, intent?: Message | null, said?: Message | null}} Why  why a pixel was placed; if that is not `exact`, `said` is only the nearest message in time
 * @typedef {NonNullable<Message['reactions']>[number]} Reaction
 * @typedef {NonNullable<Message['regions']>[number]} Region  inclusive corners
 * @typedef {Required<Pick<Responses['GET /api/chat'], 'next_before'>> & {messages: Message[]}} ChatPage
 *
 * @typedef {string | {id?: string, title?: string} | null | undefined} SeasonIdOrSeason
 * @typedef {[seq: number, x: number, y: number, color: number, agent: string, time?: number]} PixelRow
 * @typedef {[seq: number, x: number, y: number, color: number, agent: string, time: number]} PastRow  time in milliseconds
 * @typedef {{event: string, seq: number, time: string, data: any}} PastEvent
 * @typedef {Omit<Responses['GET /api/events'], 'pixels' | 'events'> & {pixels: PastRow[], events: PastEvent[]}} History
 * @typedef {{head: number, version: number, season: SeasonIdOrSeason, spectators: number, live?: boolean, chat_enabled?: boolean}} Hello
 */

export {};
