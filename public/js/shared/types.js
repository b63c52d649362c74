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
 * @typedef {Responses['GET /api/chat']['messages'][number] & {seq: number, content: string, edited_at?: string | null}} Message  public messages have a number, and are shown only with a text
 * @typedef {Omit<Responses['GET /api/pixel/story'], 'said' | 'intents'> & {said?: Message | null, intents: Message[]}} Story
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
