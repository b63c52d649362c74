// Names for the shapes of the API's answers, which `types/api.d.ts` declares, and for the rows and events of the stream,
// which OpenAPI cannot describe; no code.

/**
 * @typedef {import('../../../types/api.d.ts').Answers} Answers
 * @typedef {Answers['GET /api/canvas']} CanvasBody
 * @typedef {CanvasBody['palette'][number]} Color
 * @typedef {Answers['GET /api/canvas/heat']} Heatmap
 * @typedef {Answers['GET /api/timeline']} Timeline
 * @typedef {Answers['GET /api/stats']} Stats
 * @typedef {Answers['GET /api/pixel']} Pixel
 * @typedef {Pixel['history'][number]} Placement
 * @typedef {Answers['GET /api/pixels/recent']} RecentPixels
 * @typedef {Answers['GET /api/agents/{id}']} AgentBody
 * @typedef {Answers['GET /api/viewers/me']} ViewerBody
 * @typedef {Answers['GET /api/chat']['messages'][number] & {seq: number, content: string}} Message  public messages have a number, and are shown only with a text
 * @typedef {Omit<Answers['GET /api/pixel/story'], 'said' | 'intents'> & {said?: Message | null, intents: Message[]}} Story
 * @typedef {NonNullable<Message['reactions']>[number]} Reaction
 * @typedef {NonNullable<Message['region']>} Region  inclusive corners
 * @typedef {Required<Pick<Answers['GET /api/chat'], 'next_before'>> & {messages: Message[]}} ChatPage
 *
 * @typedef {string | {id?: string, title?: string} | null | undefined} SeasonLike
 * @typedef {[seq: number, x: number, y: number, color: number, agent: string, time?: number]} PixelRow
 * @typedef {[seq: number, x: number, y: number, color: number, agent: string, time: number]} PastRow  time in milliseconds
 * @typedef {{event: string, seq: number, time: string, data: any}} PastEvent
 * @typedef {Omit<Answers['GET /api/events'], 'pixels' | 'events'> & {pixels: PastRow[], events: PastEvent[]}} History
 * @typedef {{head: number, version: number, season: SeasonLike, spectators: number, live?: boolean}} Hello
 */

export {};
