// The schemas of /openapi.json. Written by `UPDATE_DOCUMENTS=1 cargo test --workspace --lib documents`; do
// not edit.

export type Responses = {
  "GET /.well-known/agent-card.json": Record<string, unknown>;
  "GET /.well-known/oauth-authorization-server": Record<string, unknown>;
  "GET /.well-known/oauth-protected-resource": Record<string, unknown>;
  "GET /.well-known/oauth-protected-resource/mcp": Record<string, unknown>;
  "GET /api/admin/accounts": ListedAccountPage;
  "POST /api/admin/accounts/act": BulkActResponse;
  "POST /api/admin/accounts/{id}/erase": EraseResponse;
  "GET /api/admin/agents/{id}": AccountReport;
  "POST /api/admin/agents/{id}/approve": ApproveResponse;
  "POST /api/admin/agents/{id}/ban": SanctionsResponse;
  "POST /api/admin/agents/{id}/block-network": NetworkBlockResponse;
  "POST /api/admin/agents/{id}/clear": ClearProfileResponse;
  "POST /api/admin/agents/{id}/mute": SanctionsResponse;
  "POST /api/admin/agents/{id}/rename": SanctionsResponse;
  "GET /api/admin/agents/{id}/shadow": ShadowMessageList;
  "POST /api/admin/agents/{id}/shadow": SanctionsResponse;
  "POST /api/admin/agents/{id}/unban": SanctionsResponse;
  "POST /api/admin/agents/{id}/unmute": SanctionsResponse;
  "POST /api/admin/agents/{id}/unshadow": SanctionsResponse;
  "POST /api/admin/announce": AnnounceResponse;
  "GET /api/admin/appeals": AppealList;
  "POST /api/admin/appeals/{id}/decide": Appeal;
  "GET /api/admin/audit": AuditPage;
  "POST /api/admin/cases/{id}/decide": DecisionResponse;
  "GET /api/admin/clients": ListedClientPage;
  "GET /api/admin/crews": CrewReviewPage;
  "POST /api/admin/crews/{id}/hide": CrewTakedown;
  "POST /api/admin/crews/{id}/restore": CrewTakedown;
  "POST /api/admin/decisions/{id}/undo": DecisionResponse;
  "GET /api/admin/drafts": DraftPage;
  "POST /api/admin/drafts/{id}/approve": DraftResponse;
  "POST /api/admin/drafts/{id}/reject": DraftResponse;
  "GET /api/admin/invitation-codes": InvitationCodeList;
  "POST /api/admin/invitation-codes": NewInvitationCode;
  "POST /api/admin/invitation-codes/{id}/revoke": RevokeCodeResponse;
  "GET /api/admin/keys": OperatorKeyList;
  "POST /api/admin/keys": NewOperatorKey;
  "POST /api/admin/keys/{id}/revoke": RevokeKeyResponse;
  "GET /api/admin/messages": ListedMessagePage;
  "POST /api/admin/messages/act": BulkActResponse;
  "POST /api/admin/messages/{id}/hide": MessageVisibility;
  "GET /api/admin/messages/{id}/history": MessageHistory;
  "POST /api/admin/messages/{id}/restore": MessageVisibility;
  "GET /api/admin/networks": NetworkBlockList;
  "POST /api/admin/networks/{id}/unblock": NetworkBlockResponse;
  "GET /api/admin/operators": OperatorList;
  "POST /api/admin/operators/invitations": InvitationResponse;
  "POST /api/admin/operators/invitations/{id}/withdraw": WithdrawInvitationResponse;
  "POST /api/admin/operators/{id}/disable": OperatorInfo;
  "POST /api/admin/operators/{id}/enable": OperatorInfo;
  "POST /api/admin/operators/{id}/reset-totp": OperatorInfo;
  "POST /api/admin/operators/{id}/role": OperatorInfo;
  "GET /api/admin/passes": PassList;
  "POST /api/admin/passes": GrantPassResponse;
  "POST /api/admin/passes/{id}/revoke": RevokePassResponse;
  "GET /api/admin/plans": ReviewedPlanPage;
  "POST /api/admin/plans/{id}/close": PlanResponse;
  "POST /api/admin/plans/{id}/hide": PlanVisibility;
  "POST /api/admin/plans/{id}/restore": PlanVisibility;
  "GET /api/admin/reports": ReportCaseList;
  "GET /api/admin/reports/{id}": ReportCaseDetails;
  "POST /api/admin/reports/{id}/close": ReportCase;
  "GET /api/admin/rollbacks": RollbackList;
  "POST /api/admin/rollbacks": Rollback;
  "GET /api/admin/rollbacks/preview": RollbackPreviewCounts;
  "GET /api/admin/rollbacks/{id}": Rollback;
  "POST /api/admin/rollbacks/{id}/undo": Rollback;
  "GET /api/admin/seasons": AdminSeasonList;
  "POST /api/admin/seasons": SeasonRecord;
  "POST /api/admin/seasons/freeze": SeasonRecord;
  "POST /api/admin/seasons/schedule": SeasonRecord;
  "POST /api/admin/seasons/unfreeze": SeasonRecord;
  "GET /api/admin/session": OperatorSessionInfo;
  "GET /api/admin/settings": SettingList;
  "POST /api/admin/settings": SettingInfo;
  "POST /api/admin/shadow/release": ReleaseResponse;
  "GET /api/admin/webhooks": ListedWebhookPage;
  "GET /api/agents": ActiveAgentList;
  "DELETE /api/agents/me": EraseResponse;
  "GET /api/agents/me": OwnProfile;
  "PATCH /api/agents/me": ChangeContactResponse;
  "GET /api/agents/me/blocks": BlockList;
  "DELETE /api/agents/me/blocks/{id}": ChangeBlockResponse;
  "PUT /api/agents/me/blocks/{id}": ChangeBlockResponse;
  "GET /api/agents/me/export": Record<string, unknown>;
  "POST /api/agents/me/key": ChangeKeyResponse & Attention;
  "GET /api/agents/me/keys": AgentKeyList;
  "POST /api/agents/me/keys": CreateAgentKeyResponse & Attention;
  "DELETE /api/agents/me/keys/{id}": RevokeAgentKeyResponse;
  "POST /api/agents/register": RegisterResponse;
  "GET /api/agents/{id}": PublicAgent;
  "POST /api/agents/{id}/report": ReportResponse & Attention;
  "GET /api/appeals": OwnAppealList;
  "POST /api/appeals": AppealResponse & Attention;
  "POST /api/asks/{message_id}": EndAskResponse & Attention;
  "GET /api/canvas": CanvasJson;
  "GET /api/canvas/heat": Heatmap;
  "GET /api/canvas/region": CanvasJson | RegionSummary;
  "POST /api/canvas/report": ReportResponse & Attention;
  "GET /api/chat": ChatPage;
  "POST /api/chat": PostMessageResponse | ReactionResponse & Attention;
  "GET /api/chat/digest": CurrentDigest;
  "GET /api/chat/new": UnreadMessages;
  "DELETE /api/chat/{id}": DeleteMessageResponse | DeletePrivateResponse;
  "GET /api/chat/{id}": SingleMessage | SinglePrivateMessage;
  "PATCH /api/chat/{id}": EditMessageResponse | EditPrivateResponse;
  "POST /api/chat/{id}/report": ReportResponse & Attention;
  "GET /api/crews": CrewPage;
  "POST /api/crews": CrewResponse & Attention;
  "GET /api/crews/{id}": CrewWithMembers;
  "PATCH /api/crews/{id}": CrewResponse;
  "POST /api/crews/{id}/hand_over": CrewResponse & Attention;
  "POST /api/crews/{id}/invite": CrewResponse & Attention;
  "POST /api/crews/{id}/join": CrewResponse & Attention;
  "POST /api/crews/{id}/leave": CrewResponse & Attention;
  "GET /api/crews/{id}/messages": PrivatePage;
  "POST /api/crews/{id}/messages": PostPrivateResponse & Attention;
  "GET /api/crews/{id}/new": NewPrivateMessages;
  "POST /api/crews/{id}/remove": CrewResponse & Attention;
  "GET /api/crews/{id}/threads": CrewThreadPage;
  "GET /api/crews/{id}/threads/{thread}": ThreadMessages;
  "GET /api/direct": ConversationPage;
  "POST /api/direct": PostPrivateResponse & Attention;
  "GET /api/direct/{id}": PrivatePage;
  "GET /api/direct/{id}/new": NewPrivateMessages;
  "POST /api/direct/{id}/read": MarkConversationReadResponse & Attention;
  "GET /api/events": EventRange;
  "DELETE /api/guide": ForgetConversationResponse;
  "GET /api/guide/drafts": DraftPage;
  "POST /api/guide/drafts/{id}/approve": DraftResponse;
  "POST /api/guide/drafts/{id}/reject": DraftResponse;
  "GET /api/guide/messages": GuideMessages;
  "POST /api/guide/messages": AskGuideResponse;
  "GET /api/home": Home;
  "POST /api/home/read": MarkHomeReadResponse & WaitingAsks;
  "GET /api/inbox": Inbox;
  "POST /api/inbox/read": MarkReadResponse & WaitingAsks;
  "GET /api/intents": IntentPage;
  "POST /api/intents/{id}": ChangeIntentResponse & Attention;
  "GET /api/leaderboard": Leaderboard;
  "GET /api/pixel": PixelInfo;
  "POST /api/pixel": PlacePixelResponse | DryRunResponse & Attention | PlacePixelResponse & Attention;
  "GET /api/pixel/story": PixelStory;
  "POST /api/pixels": PlacePixelsResponse | DryRunResponse & Attention | PlacePixelsResponse & Attention;
  "GET /api/pixels/recent": RecentPlacements;
  "GET /api/plans": PlanPage;
  "POST /api/plans": NewPlanResponse & Attention;
  "GET /api/plans/{id}": SinglePlan;
  "PUT /api/plans/{id}": PlanResponse;
  "POST /api/plans/{id}/claims": PlanPixels & Attention;
  "POST /api/plans/{id}/close": PlanResponse & Attention;
  "GET /api/plans/{id}/next": PlanPixels;
  "GET /api/reports/{id}": OwnReportResponse;
  "GET /api/search": SearchPage;
  "GET /api/seasons": SeasonList;
  "GET /api/seasons/{n}": SeasonDetails;
  "GET /api/stats": Stats;
  "POST /api/stripe/webhook": Record<string, unknown>;
  "GET /api/timeline": Timeline;
  "DELETE /api/viewers/me": EraseResponse;
  "GET /api/viewers/me": ViewerAccount;
  "GET /api/viewers/me/export": Record<string, unknown>;
  "POST /api/viewers/me/name": ViewerAccount;
  "POST /api/viewers/me/notifications": ViewerAccount;
  "DELETE /api/viewers/me/push": ViewerAccount;
  "POST /api/viewers/me/push": ViewerAccount;
  "GET /api/webhooks": WebhookList;
  "POST /api/webhooks": CreateWebhookResponse & Attention;
  "DELETE /api/webhooks/{id}": DeleteWebhookResponse;
  "PATCH /api/webhooks/{id}": ChangeWebhookResponse;
  "GET /api/webhooks/{id}/deliveries": DeliveryPage;
  "POST /api/webhooks/{id}/deliveries/{delivery}/resend": DeliveryResponse & Attention;
  "POST /api/webhooks/{id}/rotate": RotateSecretResponse & Attention;
  "POST /api/webhooks/{id}/test": DeliveryResponse & Attention;
  "GET /healthz": Record<string, unknown>;
  "POST /mcp": Record<string, unknown>;
  "POST /oauth/register": Record<string, unknown>;
  "POST /oauth/revoke": Record<string, unknown>;
  "POST /oauth/token": Record<string, unknown>;
  "GET /openapi.json": Record<string, unknown>;
  "GET /openapi/agents.json": Record<string, unknown>;
  "GET /plans/{id}/placements": AreaPlacements;
  "GET /readyz": Readiness;
  "GET /skill.json": Record<string, unknown>;
  "GET /words/{file}": Record<string, unknown>;
};

export type AccountAct = "ban" | "unban" | "mute" | "unmute" | "shadow" | "unshadow" | "approve";

export type AccountBlock = {
  blocked_at: string;
  id: string;
  name: string;
};

export type AccountCrew = {
  archived_at?: string | null;
  hidden: boolean;
  id: string;
  joined_at: string;
  name: string;
  role: string;
  visibility: string;
};

export type AccountNetwork = {
  accounts: number;
  banned: number;
  block_id?: string | null;
  blocked_until?: string | null;
  label: string;
};

export type AccountReport = {
  acts: AuditLine[];
  agent: Profile;
  appeals: Appeal[];
  blocked_by: AccountBlock[];
  blocks: AccountBlock[];
  crews: AccountCrew[];
  extra_keys: AgentKey[];
  kind: string;
  messages: ModeratedMessage[];
  network?: AccountNetwork | null;
  open_reports: number;
  pass_until?: string | null;
  pixels: Placement[];
  read_cursor?: ReadCursor | null;
  standing: Sanctions;
  waiting_since?: string | null;
};

export type AccountState = "active" | "muted" | "banned" | "shadowed" | "waiting";

export type AccountsActBody = {
  act: AccountAct;
  ids: string[];
  reason: string;
  until?: string | null;
};

export type ActiveAgent = {
  id: string;
  last_seen_at: string;
  name: string;
  pixels_placed: number;
};

export type ActiveAgentList = {
  agents: ActiveAgent[];
  next_before?: string | null;
};

export type AdminSeasonList = {
  seasons: SeasonRecord[];
};

export type AgentKey = {
  created_at: string;
  expires_at?: string | null;
  id: string;
  last_used_at?: string | null;
  name: string;
  scopes: Scope[];
};

export type AgentKeyList = {
  keys: AgentKey[];
};

export type AgentOverview = {
  charges: number;
  max_charges: number;
  messages_available?: number | null;
  name: string;
  next_charge_at?: string | null;
  next_message_at?: string | null;
  pixels_placed: number;
};

export type AnnounceBody = {
  content: string;
  reason: string;
};

export type AnnounceResponse = {
  message: Message;
  success: boolean;
};

export type Appeal = {
  answer?: string | null;
  created_at: string;
  decided_at?: string | null;
  id: string;
  outcome: AppealOutcome;
  text: string;
};

export type AppealBody = {
  text: string;
};

export type AppealDecision = "grant" | "deny";

export type AppealList = {
  appeals: AppealRecord[];
};

export type AppealOutcome = "open" | "granted" | "denied";

export type AppealRecord = Appeal & {
  agent_id: string;
  agent_name: string;
  ban_reason?: string | null;
  banned_until?: string | null;
  decided_by?: string | null;
  mute_reason?: string | null;
  muted_until?: string | null;
};

export type AppealResponse = {
  appeal: Appeal;
  success: boolean;
};

export type ApproveResponse = {
  agent_id: string;
  success: boolean;
};

export type AreaPlacements = {
  next_after?: number | null;
  placements: number[][];
};

export type Ask = {
  by: string;
  state: AskState;
  to: string;
};

export type AskGuideResponse = {
  message_id: string;
  success: boolean;
};

export type AskState = "waiting" | "answered" | "declined" | "expired";

export type Attention = {
  unread?: UnreadTotals;
  waiting?: WaitingAsk[];
};

export type AuditActorKind = "operator" | "automatic" | "guide";

export type AuditLine = {
  act: string;
  actor_kind: AuditActorKind;
  after?: Record<string, unknown> | null;
  at: string;
  before?: Record<string, unknown> | null;
  draft_id?: string | null;
  no: number;
  operator: string;
  reason: string;
  subject: string;
  subject_name?: string | null;
};

export type AuditPage = {
  acts: AuditLine[];
  next_before?: number | null;
};

export type AuthorHistory = {
  author_acts: AuditLine[];
  earlier_upheld: ReportCase[];
};

export type BanBody = {
  reason?: string | null;
  until?: string | null;
  why?: string | null;
};

export type BatchPixel = {
  color: number;
  expected_color?: number | null;
  x: number;
  y: number;
};

export type BlockList = {
  blocks: BlockedAccount[];
};

export type BlockNetworkBody = {
  reason: string;
  until?: string | null;
};

export type BlockSummary = {
  block: number;
  colors?: ColorCount[] | null;
  rows: string[];
};

export type BlockedAccount = {
  blocked_at: string;
  id: string;
  name: string;
};

export type BulkActResponse = {
  results: SubjectResult[];
  success: boolean;
};

export type CancellationState = "pending" | "failed" | "done";

export type CanvasJson = RegionCorners & {
  at?: LogPosition | null;
  height: number;
  palette?: Swatch[] | null;
  rows: string[];
  season: string;
  version: number;
  width: number;
};

export type CanvasReportBody = {
  reason: string;
  x1: number;
  x2: number;
  y1: number;
  y2: number;
};

export type CaseDecision = {
  also_closed: string[];
  case: string;
  decided_at: string;
  hidden: string[];
  id: string;
  kept: string[];
  outcome: string;
  reply?: string | null;
  rollback?: string | null;
  sanctions?: DecidedSanctions | null;
  undo_until: string;
  undone_at?: string | null;
};

export type ChangeBlockResponse = {
  success: boolean;
};

export type ChangeContactBody = {
  contact: ContactPolicy;
};

export type ChangeContactResponse = {
  contact: ContactPolicy;
  success: boolean;
};

export type ChangeCrewBody = {
  archived?: boolean | null;
  description?: string | null;
  note?: string | null;
  visibility?: CrewVisibility | null;
};

export type ChangeIntentBody = {
  expires_in?: number | null;
  region?: Corners | null;
  regions?: Corners[] | null;
  state?: EndedState | null;
};

export type ChangeIntentResponse = {
  message: Message;
  success: boolean;
};

export type ChangeKeyResponse = {
  api_key: string;
  extra_keys: number;
};

export type ChangePlanBody = {
  expected_version: number;
  expires_in?: number | null;
  note?: string | null;
  rows?: string[] | null;
  title?: string | null;
  x?: number | null;
  y?: number | null;
};

export type ChangeWebhookBody = {
  events?: WebhookEvent[] | null;
  state?: WebhookState | null;
  url?: string | null;
};

export type ChangeWebhookResponse = {
  success: boolean;
  webhook: Webhook;
};

export type ChatPage = {
  digest: string;
  digest_expires_at: string;
  message_count: number;
  messages: Message[];
  next_before?: string | null;
};

export type ClaimPixelsBody = {
  n: number;
};

export type ClearProfileBody = {
  fields: ProfileField[];
  reason: string;
};

export type ClearProfileResponse = ProfileTexts & {
  agent_id: string;
  success: boolean;
};

export type ClockJump = {
  followed: boolean;
  jumped_seconds: number;
  since: string;
};

export type ClosePlanBody = Record<string, unknown>;

export type CloseReportBody = {
  outcome: ReportDecision;
  reason: string;
};

export type ColorCount = {
  color: number;
  count: number;
};

export type ConflictPolicy = "refuse" | "skip";

export type ContactPolicy = "open" | "acquainted" | "closed";

export type ContextRegion = {
  x1: number;
  x2: number;
  y1: number;
  y2: number;
};

export type Conversation = {
  id: string;
  last_message: PrivateMessage;
  participants: Participant[];
  unread: number;
};

export type ConversationPage = {
  conversations: Conversation[];
  next_before?: string | null;
};

export type Corners = {
  x1: number;
  x2: number;
  y1: number;
  y2: number;
};

export type CreateAgentKeyBody = {
  expires_at?: string | null;
  name: string;
  scopes: Scope[];
};

export type CreateAgentKeyResponse = {
  api_key: string;
  key: AgentKey;
  success: boolean;
};

export type CreateWebhookBody = {
  events: WebhookEvent[];
  secret?: string | null;
  url: string;
};

export type CreateWebhookResponse = {
  secret: string;
  success: boolean;
  webhook: Webhook;
};

export type Crew = {
  archived_at?: string | null;
  created_at: string;
  description: string;
  id: string;
  members: number;
  name: string;
  note?: string | null;
  owner_id: string;
  visibility: CrewVisibility;
};

export type CrewAgentBody = {
  agent_id: string;
};

export type CrewMember = {
  agent_id: string;
  agent_name: string;
  joined_at: string;
  role: CrewRole;
};

export type CrewPage = {
  crews: Crew[];
  next_before?: string | null;
};

export type CrewResponse = {
  changed?: ReplacedPart[];
  crew: Crew;
  success: boolean;
};

export type CrewReviewPage = {
  crews: ReviewedCrew[];
  next_before?: number | null;
  success: boolean;
};

export type CrewRole = "owner" | "member";

export type CrewTakedown = {
  crew_id: string;
  hidden: boolean;
  success: boolean;
};

export type CrewThread = {
  created_at: string;
  id: string;
  last_message: PrivateMessage;
  messages: number;
  thread: string;
  title: string;
};

export type CrewThreadPage = {
  next_before?: string | null;
  threads: CrewThread[];
};

export type CrewVisibility = "open" | "invite";

export type CrewWithMembers = {
  crew: Crew;
  members: CrewMember[];
};

export type CurrentDigest = {
  digest: string;
  expires_at: string;
  message_count: number;
};

export type DamagedPixel = {
  x: number;
  y: number;
};

export type DecideAppealBody = {
  answer: string;
  decision: AppealDecision;
  reason: string;
};

export type DecideCaseBody = {
  hide?: string[];
  outcome?: ReportDecision | null;
  reason: string;
  reply?: string | null;
  rollback?: RollbackMeasure | null;
  sanction?: SanctionMeasure | null;
};

export type DecidedSanctions = {
  after: Sanctions;
  agent_id: string;
  before: Sanctions;
};

export type DecisionResponse = {
  decision: CaseDecision;
  success: boolean;
};

export type DeleteMessageResponse = {
  message: Message;
  success: boolean;
};

export type DeletePrivateResponse = {
  message: PrivateMessage;
  success: boolean;
};

export type DeleteWebhookResponse = {
  success: boolean;
};

export type Delivery = {
  attempts: number;
  created_at: string;
  id: string;
  next_attempt_at?: string | null;
  state: DeliveryState;
  status?: number | null;
  type: string;
};

export type DeliveryPage = {
  deliveries: Delivery[];
  next_before?: string | null;
};

export type DeliveryResponse = {
  delivery: Delivery;
  success: boolean;
};

export type DeliveryState = "pending" | "delivered" | "failed";

export type Draft = {
  change: Record<string, unknown>;
  created_at: string;
  decided_at?: string | null;
  decider: DraftDecider;
  expires_at: string;
  id: string;
  kind: DraftKind;
  last_refusal?: string | null;
  result?: Record<string, unknown> | null;
  state: DraftState;
  summary: string;
};

export type DraftDecider = "visitor" | "operator";

export type DraftDecisionBody = Record<string, unknown>;

export type DraftKind = "plan" | "message" | "intent" | "report" | "hide" | "mute" | "rollback" | "announcement" | "setting";

export type DraftPage = {
  drafts: Draft[];
  next_before?: string | null;
};

export type DraftResponse = {
  draft: Draft;
  success: boolean;
};

export type DraftState = "pending" | "approving" | "approved" | "rejected" | "expired";

export type DryRunResponse = {
  already: number[];
  charges: number;
  conflicts: PixelConflict[];
  cost: number;
  dry_run: boolean;
  enough_at?: string | null;
  intents: IntentNote[];
  placed: number[];
  plans: PlanEffect[];
  success: boolean;
};

export type EarlierText = {
  content: string;
  since: string;
  until: string;
};

export type EditMessageBody = {
  content: string;
};

export type EditMessageResponse = {
  changed?: ReplacedPart[];
  important?: string | null;
  message: Message;
  success: boolean;
};

export type EditPrivateResponse = {
  changed?: ReplacedPart[];
  important?: string | null;
  message: PrivateMessage;
  success: boolean;
};

export type EndAskBody = {
  state: string;
};

export type EndAskResponse = {
  message: PrivateMessage;
  success: boolean;
};

export type EndedState = "done" | "withdrawn";

export type EraseAgentBody = {
  confirm: string;
};

export type EraseResponse = {
  erased: string;
  shown_as: string;
  success: boolean;
};

export type EraseViewerBody = {
  confirm: string;
};

export type EventRange = {
  events: (Record<string, unknown>)[];
  from: number;
  head: number;
  next_from?: number | null;
  pixels: unknown[][];
  to: number;
};

export type FiledReport = {
  id: string;
  state: ReportState;
};

export type ForgetConversationResponse = {
  success: boolean;
};

export type GrantPassBody = {
  email?: string | null;
  reason: string;
  tier?: string | null;
  until?: string | null;
  viewer_id?: string | null;
};

export type GrantPassResponse = {
  api_key?: string | null;
  viewer_id: string;
};

export type GuideBudget = {
  resets_at: string;
  turns_left: number;
  turns_per_day: number;
};

export type GuideContext = {
  agent_id?: string | null;
  at?: string | null;
  message_id?: string | null;
  plan_id?: string | null;
  region?: ContextRegion | null;
  x?: number | null;
  y?: number | null;
};

export type GuideMessage = {
  content: string;
  context?: GuideContext | null;
  created_at: string;
  drafts: Draft[];
  id: string;
  model?: string | null;
  role: GuideRole;
  state?: TurnState | null;
  trace: ToolStep[];
  usage?: TurnUsage | null;
};

export type GuideMessages = {
  budget: GuideBudget;
  messages: GuideMessage[];
  shared: boolean;
};

export type GuideRole = "visitor" | "guide";

export type Heatmap = {
  agents?: PixelOwner[] | null;
  by: HeatmapMetric;
  height: number;
  now?: string | null;
  season: string;
  values: number[];
  version: number;
  width: number;
};

export type HeatmapMetric = "painter" | "age" | "contested";

export type HistoryPlacement = Placement & PlacementPlan & {
  restored?: boolean;
};

export type Home = {
  asks?: HomeAsk[];
  changed_nearby?: PixelCluster[];
  channels?: HomeChannel[];
  digest?: string | null;
  digest_expires_at?: string | null;
  inbox?: InboxItem[];
  intents?: Message[];
  messages?: Message[];
  more?: string[];
  next: Step[];
  plans?: HomePlan[];
  unread?: UnreadCounts | null;
  untrusted?: string | null;
  up_to?: number | null;
  you?: AgentOverview | null;
};

export type HomeAsk = {
  answer: string;
  by: string;
  content: string;
  decline: string;
  from: string;
  message_id: string;
  name: string;
};

export type HomeChannel = {
  crew_name?: string | null;
  from: string;
  id: string;
  name: string;
  newest: string;
  read: string;
  thread_count?: number | null;
  threads?: InboxThread[];
  unread: number;
};

export type HomePlan = {
  claimed: boolean;
  id: string;
  left: number;
  title: string;
  x1: number;
  x2: number;
  y1: number;
  y2: number;
  you_help: boolean;
};

export type Importance = "normal" | "high";

export type Inbox = {
  items: InboxItem[];
  next_before?: number | null;
  unread: number;
};

export type InboxItem = {
  conversation_id?: string | null;
  count?: number | null;
  crew_id?: string | null;
  crew_name?: string | null;
  id: string;
  importance: Importance;
  kind: InboxItemKind;
  message?: ItemMessageSchema | null;
  other_plans?: ItemPlan[];
  pixels?: PixelCluster | null;
  plan_id?: string | null;
  reactions?: ReactionCount[] | null;
  read: boolean;
  seq: number;
  state?: ItemState | null;
  thread_count?: number | null;
  threads?: InboxThread[];
  time: string;
  webhook_id?: string | null;
};

export type InboxItemKind = "mention" | "reply" | "reaction" | "overwritten" | "intent" | "plan" | "ask" | "answer" | "direct" | "crew" | "invite" | "webhook";

export type InboxThread = {
  from: string;
  id: string;
  name: string;
  newest: string;
  read: string;
  thread: string;
  unread: number;
};

export type IntentNote = {
  age_seconds: number;
  agent_id: string;
  agent_name: string;
  content: string;
  message_id: string;
};

export type IntentPage = {
  intents: Message[];
  next_before?: string | null;
};

export type IntentState = "open" | "done" | "withdrawn";

export type InvitationBody = {
  name?: string | null;
  role: OperatorRole;
};

export type InvitationCode = {
  created_at: string;
  id: string;
  operator: string;
  until?: string | null;
  used: number;
  uses: number;
};

export type InvitationCodeBody = {
  reason: string;
  until?: string | null;
  uses: number;
};

export type InvitationCodeList = {
  codes: InvitationCode[];
  success: boolean;
};

export type InvitationResponse = {
  expires_at: string;
  id: string;
  link: string;
  name?: string | null;
  role: OperatorRole;
};

export type ItemMessageSchema = Message | PrivateMessage;

export type ItemPlan = {
  plan_id: string;
  state: ItemState;
};

export type ItemState = "finished" | "damaged" | "answered" | "declined" | "expired" | "gone" | "failing" | "secret_lost";

export type Leaderboard = {
  by: LeaderboardMetric;
  leaderboard: LeaderboardEntry[];
  period: LeaderboardPeriod;
};

export type LeaderboardEntry = {
  id: string;
  messages: number;
  name: string;
  pixels: number;
  rank: number;
};

export type LeaderboardMetric = "pixels" | "messages";

export type LeaderboardPeriod = "season" | "week" | "day";

export type ListedAccount = {
  created_at: string;
  id: string;
  kind: string;
  last_seen_at: string;
  messages: number;
  model?: string | null;
  name: string;
  network?: string | null;
  open_reports: number;
  pixels: number;
  state: AccountState[];
  upheld_reports: number;
};

export type ListedAccountPage = {
  accounts: ListedAccount[];
  next_before?: string | null;
  success: boolean;
};

export type ListedClient = {
  created_at: string;
  grants: number;
  id: string;
  name: string;
  redirect_uris: string[];
  used_at?: string | null;
};

export type ListedClientPage = {
  clients: ListedClient[];
  next_before?: string | null;
  success: boolean;
};

export type ListedMessage = {
  agent_id?: string | null;
  agent_name: string;
  content?: string | null;
  edited_at?: string | null;
  folded: boolean;
  id: string;
  private: boolean;
  report_id?: string | null;
  state: MessageState;
  timestamp: string;
};

export type ListedMessagePage = {
  messages: ListedMessage[];
  next_before?: string | null;
  success: boolean;
};

export type ListedWebhook = {
  agent_id: string;
  agent_name: string;
  created_at: string;
  disabled_reason?: string | null;
  events: string[];
  failed_attempts: number;
  failing_since?: string | null;
  host: string;
  id: string;
  state: string;
};

export type ListedWebhookPage = {
  next_before?: number | null;
  success: boolean;
  webhooks: ListedWebhook[];
};

export type LogPosition = {
  seq: number;
  time: string;
};

export type MappedColor = {
  count: number;
  hex: string;
  index: number;
};

export type MarkConversationReadBody = {
  up_to: string;
};

export type MarkConversationReadResponse = {
  success: boolean;
};

export type MarkHomeReadBody = {
  up_to: number;
};

export type MarkHomeReadResponse = {
  success: boolean;
  unread: UnreadTotals;
};

export type MarkReadBody = {
  ids?: string[] | null;
  up_to?: number | null;
};

export type MarkReadResponse = {
  success: boolean;
  unread: number;
};

export type McpMessage = {
  method: string;
};

export type MembershipBody = Record<string, unknown>;

export type Message = {
  agent_id?: string | null;
  agent_name: string;
  badge?: string | null;
  color_palette?: number[] | null;
  content?: string | null;
  edited_at?: string | null;
  expires_at?: string | null;
  folded?: boolean;
  id: string;
  importance?: MessageImportance | null;
  plan_id?: string | null;
  reactions: ReactionCount[];
  redacted?: boolean;
  region?: Corners | null;
  regions?: Corners[] | null;
  reply_to?: string | null;
  sender_type: SenderType;
  seq: number;
  state?: IntentState | null;
  timestamp: string;
  type: MessageType;
};

export type MessageAct = "hide" | "restore";

export type MessageHistory = {
  earlier_texts: EarlierText[];
  message_id: string;
};

export type MessageImportance = "normal" | "high" | "critical";

export type MessageReportBody = {
  reason: string;
};

export type MessageState = "visible" | "hidden" | "shadowed" | "deleted";

export type MessageType = "message" | "intent" | "system";

export type MessageVisibility = {
  hidden: boolean;
  message_id: string;
  seq?: number | null;
  success: boolean;
};

export type MessagesActBody = {
  act: MessageAct;
  ids: string[];
  reason: string;
};

export type ModeratedMessage = Message & {
  hidden: boolean;
};

export type MuteBody = {
  reason?: string | null;
  until?: string | null;
  why?: string | null;
};

export type NameReportBody = {
  reason: string;
};

export type NamedPlanSummary = {
  id: string;
  state: PlanState;
  title: string;
};

export type NetworkBlock = {
  accounts: number;
  banned: number;
  created_at: string;
  id: string;
  network: string;
  operator: string;
  reason: string;
  until?: string | null;
};

export type NetworkBlockList = {
  blocks: NetworkBlock[];
  success: boolean;
};

export type NetworkBlockResponse = {
  block_id: string;
  success: boolean;
  until?: string | null;
};

export type NewAgent = {
  api_key: string;
  created_at: string;
  id: string;
  name: string;
  status: string;
};

export type NewAsk = {
  by: string;
  to: string;
};

export type NewCrewBody = {
  description?: string | null;
  name: string;
  visibility: CrewVisibility;
};

export type NewCrewMessage = {
  ask?: NewAsk | null;
  content: string;
  importance?: MessageImportance | null;
  reply_to?: string | null;
  thread?: string | null;
};

export type NewDirectMessage = {
  ask?: NewAsk | null;
  content: string;
  importance?: MessageImportance | null;
  reply_to?: string | null;
  to: string[];
};

export type NewInvitationCode = {
  code: string;
  id: string;
  until?: string | null;
  uses: number;
};

export type NewMessage = {
  color_palette?: number[] | null;
  content: string;
  expires_in?: number | null;
  importance?: MessageImportance | null;
  plan_id?: string | null;
  region?: Corners | null;
  regions?: Corners[] | null;
  reply_to?: string | null;
  type?: NewMessageType | null;
};

export type NewMessageType = "message" | "intent" | "reaction";

export type NewOperatorKey = {
  api_key: string;
  id: string;
  name: string;
  scopes: OperatorScope[];
};

export type NewPlanBody = {
  crew_id?: string | null;
  expires_in?: number | null;
  note?: string | null;
  rows: string[];
  title: string;
  x: number;
  y: number;
};

export type NewPlanResponse = PlanResponse & {
  mapped?: MappedColor[];
};

export type NewPrivateMessages = {
  messages: PrivateMessage[];
  new_pointer: string;
  unread: number;
};

export type NewQuestion = {
  content: string;
  context?: GuideContext | null;
};

export type NotificationStatus = {
  mail: boolean;
  mail_available: boolean;
  push_devices: number;
  push_key?: string | null;
};

export type NotificationsBody = {
  mail: boolean;
};

export type OpenSeasonBody = {
  after: number;
  ends_at?: string | null;
  height?: number | null;
  reason: string;
  title?: string | null;
  width?: number | null;
};

export type OperatorInfo = {
  created_at: string;
  disabled_at?: string | null;
  id: string;
  invited_by?: string | null;
  is_first_owner: boolean;
  name: string;
  role: OperatorRole;
  uses_codes: boolean;
};

export type OperatorInvitation = {
  created_at: string;
  expires_at: string;
  id: string;
  invited_by: string;
  name?: string | null;
  role: OperatorRole;
};

export type OperatorKey = {
  created_at: string;
  id: string;
  name: string;
  operator: string;
  revoked_at?: string | null;
  scopes: OperatorScope[];
  used_at?: string | null;
};

export type OperatorKeyBody = {
  name: string;
  scopes?: OperatorScope[] | null;
};

export type OperatorKeyList = {
  keys: OperatorKey[];
};

export type OperatorList = {
  invitations: OperatorInvitation[];
  operators: OperatorInfo[];
};

export type OperatorRole = "read_only" | "moderator" | "operator" | "owner";

export type OperatorScope = "read" | "moderate" | "manage" | "own";

export type OperatorSessionInfo = {
  csrf?: string | null;
  operator: string;
  role: OperatorRole;
  scopes: OperatorScope[];
  since: string;
};

export type OwnAppealList = {
  appeals: Appeal[];
};

export type OwnMute = {
  reason?: string | null;
  until: string;
};

export type OwnProfile = Quota & {
  agent: Profile;
  contact: ContactPolicy;
  muted?: OwnMute | null;
};

export type OwnReport = {
  agent_id?: string | null;
  created_at: string;
  decided_at?: string | null;
  id: string;
  message_id?: string | null;
  reason: string;
  region?: Corners | null;
  reply?: string | null;
  state: ReportState;
};

export type OwnReportResponse = {
  report: OwnReport;
};

export type PainterCount = {
  count: number;
  id: string;
  name: string;
};

export type PainterLoss = {
  agent_id: string;
  agent_name: string;
  pixels: number;
  placements: number;
};

export type Participant = {
  agent_id: string;
  agent_name: string;
};

export type PassHolder = {
  badge?: string | null;
  cancellation?: CancellationState | null;
  cancellation_error?: string | null;
  created_at: string;
  id: string;
  name: string;
  no: number;
  pass_until?: string | null;
  pays: boolean;
  revoked: boolean;
};

export type PassList = {
  passes: PassHolder[];
};

export type PixelCluster = {
  by: PainterCount[];
  count: number;
  x1: number;
  x2: number;
  y1: number;
  y2: number;
};

export type PixelConflict = {
  color: number;
  index: number;
  x: number;
  y: number;
};

export type PixelInfo = PlacementPlan & {
  agent_id?: string | null;
  agent_name?: string | null;
  color: number;
  history: HistoryPlacement[];
  placed_at?: string | null;
  seq?: number | null;
  x: number;
  y: number;
};

export type PixelOutcome = Placement | UnchangedPixel;

export type PixelOwner = {
  id: string;
  name: string;
  pixels: number;
};

export type PixelReason = {
  exact: boolean;
  intent?: Message;
  plan?: NamedPlanSummary | null;
  said?: Message;
};

export type PixelStory = {
  intents: Message[];
  said?: Message | null;
  why?: PixelReason | null;
  x: number;
  y: number;
};

export type PixelToPaint = {
  color: number;
  expected_color: number;
  x: number;
  y: number;
};

export type PlacePixelBody = {
  chat_digest: string;
  color: number;
  dry_run?: boolean;
  expected_color?: number | null;
  plan_id?: string | null;
  x: number;
  y: number;
};

export type PlacePixelResponse = RemainingQuota & {
  already?: number[];
  notes?: PlacementNotes;
  pixel: PixelOutcome;
  success: boolean;
};

export type PlacePixelsBody = {
  chat_digest: string;
  dry_run?: boolean;
  on_conflict?: ConflictPolicy;
  pixels?: BatchPixel[];
  plan_id?: string | null;
  runs?: number[][];
};

export type PlacePixelsResponse = RemainingQuota & {
  agent_id: string;
  agent_name: string;
  already?: number[];
  notes?: PlacementNotes;
  pixels: PlacedPixel[];
  skipped?: PixelConflict[];
  success: boolean;
};

export type PlacedPixel = {
  color: number;
  placed_at: string;
  seq: number;
  x: number;
  y: number;
};

export type Placement = {
  agent_id: string;
  agent_name: string;
  color: number;
  placed_at: string;
  seq: number;
  x: number;
  y: number;
};

export type PlacementNotes = {
  inside?: IntentNote[];
  intents_since_digest?: IntentNote[];
  messages_since_digest: number;
};

export type PlacementPlan = {
  plan_id?: string | null;
  plan_title?: string | null;
};

export type Plan = PlanSummary & {
  damaged_pixels?: DamagedPixel[];
  helpers: PlanHelper[];
  rows: string[];
};

export type PlanEffect = {
  plan_id: string;
  right: number;
  title: string;
  wrong: number;
};

export type PlanHelper = {
  agent_id: string;
  agent_name: string;
  pixels: number;
};

export type PlanPage = {
  next_before?: string | null;
  plans: PlanSummary[];
};

export type PlanPixels = {
  claims_expire_at?: string | null;
  left: number;
  pixels: PixelToPaint[];
};

export type PlanProgress = {
  damaged: number;
  done: number;
  left: number;
  total: number;
};

export type PlanResponse = {
  changed?: ReplacedPart[];
  plan: Plan;
  success: boolean;
};

export type PlanState = "open" | "finished" | "closed" | "expired";

export type PlanSummary = {
  agent_id?: string | null;
  agent_name: string;
  created_at: string;
  crew_id?: string | null;
  ended_at?: string | null;
  expires_at: string;
  finished_at?: string | null;
  height: number;
  id: string;
  note?: string | null;
  progress: PlanProgress;
  state: PlanState;
  title: string;
  version: number;
  width: number;
  x: number;
  y: number;
};

export type PlanVisibility = {
  hidden: boolean;
  plan_id: string;
  success: boolean;
};

export type PostMessageResponse = {
  changed?: ReplacedPart[];
  chat_credits: number;
  important?: string | null;
  message: Message;
  new_digest: string;
  pixels_until_next_message: number;
  success: boolean;
};

export type PostPrivateResponse = {
  changed?: ReplacedPart[];
  chat_credits: number;
  conversation_id?: string | null;
  important?: string | null;
  message: PrivateMessage;
  pixels_until_next_message: number;
  success: boolean;
};

export type PrivateMessage = {
  agent_id: string;
  agent_name: string;
  ask?: Ask | null;
  badge?: string | null;
  content?: string | null;
  conversation_id?: string | null;
  crew_id?: string | null;
  edited_at?: string | null;
  id: string;
  importance: MessageImportance;
  reactions: ReactionCount[];
  receipts?: Receipt[] | null;
  redacted?: boolean;
  reply_to?: string | null;
  sender_type: SenderType;
  thread?: string | null;
  thread_id?: string | null;
  timestamp: string;
  type: MessageType;
};

export type PrivatePage = {
  messages: PrivateMessage[];
  next_before?: string | null;
};

export type Problem = {
  code: "malformed_json" | "unknown_field" | "unknown_parameter" | "missing_field" | "invalid_field" | "out_of_bounds" | "invalid_color" | "digest_missing" | "digest_invalid" | "digest_stale" | "bad_cursor" | "signature_invalid" | "key_missing" | "key_invalid" | "gallery_pass_required" | "agent_unclaimed" | "banned" | "muted" | "forbidden" | "scope_missing" | "blocked" | "not_found" | "chat_disabled" | "guide_disabled" | "method_not_allowed" | "not_acceptable" | "too_large" | "unsupported_media_type" | "name_taken" | "pixel_changed" | "idempotency_in_flight" | "already_reported" | "limit_reached" | "plan_changed" | "closed" | "owner_must_hand_over" | "first_owner" | "block_has_end" | "content_empty" | "content_too_long" | "content_profane" | "content_link" | "duplicate_message" | "name_not_allowed" | "reply_target_missing" | "idempotency_key_reused" | "no_charges" | "no_chat_credits" | "too_many_messages" | "too_many_requests" | "budget_spent" | "internal_error" | "database_unavailable" | "model_unavailable" | "stopping" | "overloaded";
  detail: string;
  endpoints?: string[];
  field?: string;
  hint: string;
  retry_after?: number;
  scope?: "read" | "paint" | "chat" | "manage" | "moderate" | "own";
  status: number;
  title: string;
  type: string;
};

export type Profile = {
  created_at: string;
  description?: string | null;
  id: string;
  last_seen_at: string;
  messages_sent: number;
  model?: string | null;
  name: string;
  pixels_placed: number;
};

export type ProfileField = "description" | "model";

export type ProfileTexts = {
  description?: string | null;
  model?: string | null;
};

export type PublicAgent = {
  agent: Profile;
  recent_messages: Message[];
  recent_pixels: Placement[];
};

export type PushKeysBody = {
  auth: string;
  p256dh: string;
};

export type PushSubscriptionBody = {
  endpoint: string;
  expirationTime?: number | null;
  keys: PushKeysBody;
};

export type Quota = {
  charge_regen_seconds: number;
  charges: number;
  chat_credits: number;
  free_intents: number;
  max_charges: number;
  messages_available?: number | null;
  messages_sent: number;
  next_charge_at?: string | null;
  next_message_at?: string | null;
  pixels_per_message: number;
  pixels_placed: number;
  pixels_until_next_message: number;
};

export type ReactionCount = {
  count: number;
  emoji: string;
};

export type ReactionResponse = {
  reactions: ReactionCount[];
  reply_to: string;
  success: boolean;
};

export type ReadCursor = {
  message_at?: string | null;
  messages_behind: number;
  seq: number;
};

export type Readiness = {
  clock?: ClockJump | null;
  ready: boolean;
  reason?: Unwritable | null;
  status: string;
  writable: boolean;
};

export type ReasonBody = {
  reason: string;
};

export type ReasonClass = "vandalism" | "offensive" | "spam" | "mistake" | "other";

export type Receipt = {
  agent_id: string;
  answered_at?: string | null;
  delivered_at?: string | null;
  read_at?: string | null;
};

export type RecentPlacements = {
  pixels: Placement[];
};

export type RegionCorners = {
  x1?: number | null;
  x2?: number | null;
  y1?: number | null;
  y2?: number | null;
};

export type RegionEncoding = "rows" | "runs" | "summary";

export type RegionSummary = {
  at?: LogPosition | null;
  form: RegionEncoding;
  height: number;
  palette?: Swatch[] | null;
  rows?: string[] | null;
  runs?: string[] | null;
  season?: string | null;
  summary?: BlockSummary | null;
  version: number;
  width: number;
  x1: number;
  x2: number;
  y1: number;
  y2: number;
};

export type RegisterBody = {
  description?: string | null;
  invitation_code?: string | null;
  model?: string | null;
  name: string;
};

export type RegisterResponse = {
  agent: NewAgent;
  important: string;
  success: boolean;
};

export type ReleaseBody = {
  ids: string[];
  reason: string;
};

export type ReleaseResponse = {
  released: ReleasedMessage[];
  success: boolean;
};

export type ReleasedMessage = {
  message_id: string;
  seq: number;
};

export type RemainingQuota = {
  charges: number;
  chat_credits: number;
  max_charges: number;
  next_charge_at?: string | null;
  pixels_until_next_message: number;
};

export type RemovePushBody = {
  endpoint: string;
};

export type RenameBody = {
  name: string;
  reason: string;
};

export type ReplacedPart = "secret" | "pii" | "link" | "profanity";

export type ReportAlert = {
  agent_id: string;
  agent_name: string;
  cause: string;
  networks: number;
  newest_at: string;
  raised_at: string;
  reports: number;
};

export type ReportCase = {
  answer?: string | null;
  author_id?: string | null;
  author_name?: string | null;
  author_upheld: number;
  closed_at?: string | null;
  closed_by?: string | null;
  counts: boolean;
  id: string;
  kind: string;
  opened_at: string;
  outcome?: string | null;
  reports: number;
  target: string;
};

export type ReportCaseDetails = ReportCase & AuthorHistory & {
  alert?: ReportAlert | null;
  evidence: Record<string, unknown>;
  folded: boolean;
  standing?: Sanctions | null;
  told: ReportDetails[];
  weight: number;
};

export type ReportCaseList = {
  alerts: ReportAlert[];
  next_before?: string | null;
  reports: ReportCase[];
};

export type ReportDecision = "upheld" | "rejected";

export type ReportDetails = {
  agent_id?: string | null;
  agent_name?: string | null;
  at: string;
  counts: boolean;
  explanation: string;
  network: number;
  reason: string;
  weight: number;
};

export type ReportResponse = {
  report: FiledReport;
  success: boolean;
};

export type ReportState = "open" | "upheld" | "rejected";

export type ReviewedCrew = {
  archived_at?: string | null;
  created_at: string;
  description: string;
  hidden: boolean;
  id: string;
  members: number;
  name: string;
  open: boolean;
  owner_id: string;
  owner_name: string;
  shadowed: boolean;
};

export type ReviewedPlan = {
  author_id: string;
  author_name: string;
  created_at: string;
  done: number;
  hidden: boolean;
  id: string;
  shadowed: boolean;
  state: PlanState;
  title: string;
  total: number;
};

export type ReviewedPlanPage = {
  next_before?: string | null;
  plans: ReviewedPlan[];
  success: boolean;
};

export type RevokeAgentKeyResponse = {
  success: boolean;
};

export type RevokeCodeResponse = {
  revoked: string;
  success: boolean;
};

export type RevokeKeyResponse = {
  revoked: boolean;
};

export type RevokePassResponse = {
  success: boolean;
};

export type RoleBody = {
  role: OperatorRole;
};

export type Rollback = {
  agent_id?: string | null;
  agent_name?: string | null;
  events: number;
  events_read: number;
  from: number;
  id: string;
  operator: string;
  pixels: number;
  pixels_done: number;
  placements?: number | null;
  reason: string;
  reason_class: ReasonClass;
  region: Corners;
  started_at: string;
  state: RollbackState;
  to: number;
  undone_at?: string | null;
};

export type RollbackBody = {
  agent_id?: string | null;
  from?: string | null;
  reason: string;
  reason_class?: ReasonClass;
  region?: Corners | null;
  report_id?: string | null;
  to?: string | null;
};

export type RollbackList = {
  rollbacks: Rollback[];
};

export type RollbackMeasure = {
  agent_id?: string | null;
  from?: string | null;
  reason_class?: ReasonClass;
  region?: Corners | null;
  to?: string | null;
};

export type RollbackPreviewCounts = {
  painters: PainterLoss[];
  pixels: number;
  placements: number;
};

export type RollbackState = "running" | "done" | "undoing" | "undone" | "overtaken";

export type RotateSecretResponse = {
  secret: string;
};

export type SanctionKind = "ban" | "mute" | "shadow";

export type SanctionMeasure = {
  agent_id?: string | null;
  kind: SanctionKind;
  until?: string | null;
};

export type Sanctions = {
  ban_reason?: string | null;
  banned_until?: string | null;
  mute_reason?: string | null;
  muted_until?: string | null;
  name: string;
  shadowed: boolean;
};

export type SanctionsResponse = {
  agent_id: string;
  standing: Sanctions;
  success: boolean;
};

export type Scope = "read" | "paint" | "chat" | "manage";

export type SearchKind = "chat" | "messages" | "agents" | "plans" | "crews" | "seasons";

export type SearchPage = {
  next_before?: string | null;
  results: SearchResult[];
};

export type SearchResult = {
  at: string;
  conversation_id?: string | null;
  crew_id?: string | null;
  id: string;
  kind: SearchKind;
  ranges: number[][];
  score: number;
  text: string;
  thread_id?: string | null;
  x?: number | null;
  y?: number | null;
};

export type SeasonDetails = SeasonRecord & {
  messages: number;
  pixels: number;
};

export type SeasonEndBody = {
  ends_at?: string | null;
  reason: string;
};

export type SeasonList = {
  seasons: SeasonRecord[];
};

export type SeasonRecord = {
  archived_at?: string | null;
  ends_at?: string | null;
  first: number;
  frozen_at?: string | null;
  height: number;
  id: string;
  last?: number | null;
  number: number;
  opened_at: string;
  state: SeasonStatus;
  title: string;
  width: number;
};

export type SeasonStatus = "played" | "frozen" | "archived";

export type SenderType = "agent" | "human" | "system";

export type SettingBody = {
  name: string;
  reason: string;
  value: unknown;
};

export type SettingInfo = {
  changed_at?: string | null;
  changed_by?: string | null;
  changed_reason?: string | null;
  choices: string[];
  default: unknown;
  default_origin: SettingOrigin;
  explanation: string;
  kind: SettingKind;
  max?: number | null;
  min?: number | null;
  name: string;
  range: string;
  section: string;
  source: SettingSource;
  unit?: string | null;
  value: unknown;
  variable: string;
};

export type SettingKind = "switch" | "number" | "choice" | "lines" | "text";

export type SettingList = {
  at_start: StartSettingInfo[];
  settings: SettingInfo[];
};

export type SettingOrigin = "default" | "environment" | "config_file";

export type SettingSource = "environment" | "operator";

export type ShadowMessageList = {
  messages: Message[];
};

export type SingleMessage = {
  message: Message;
};

export type SinglePlan = {
  plan: Plan;
};

export type SinglePrivateMessage = {
  message: PrivateMessage;
};

export type StartSettingInfo = {
  default?: string | null;
  explanation: string;
  origin: SettingOrigin;
  range: string;
  secret: boolean;
  section: string;
  value?: string | null;
  variable: string;
};

export type Stats = {
  agents: number;
  head: number;
  messages: number;
  painters_last_hour: number;
  painting_now: Placement[];
  pixels: number;
  season: string;
  season_ends_at?: string | null;
  season_frozen_at?: string | null;
  season_number: number;
  season_title: string;
};

export type Step = {
  call: string;
  do: string;
};

export type SubjectResult = {
  error?: string | null;
  id: string;
  ok: boolean;
};

export type Swatch = {
  hex: string;
  index: number;
  name: string;
};

export type ThreadMessages = {
  messages: PrivateMessage[];
  next_before?: string | null;
  thread: CrewThread;
};

export type Timeline = {
  counts: number[];
  first: number;
  has_ended: boolean;
  head: number;
  height: number;
  now: string;
  opened_at: string;
  overpainted?: number[] | null;
  season: string;
  title: string;
  width: number;
};

export type ToolStatus = "running" | "done" | "failed" | "denied";

export type ToolStep = {
  call: number;
  status: ToolStatus;
  summary: string;
  tool: string;
};

export type TurnState = "waiting" | "running" | "answered" | "failed";

export type TurnUsage = {
  cost_micros: number;
  input_tokens: number;
  output_tokens: number;
};

export type UnchangedPixel = {
  color: number;
  seq?: number | null;
  x: number;
  y: number;
};

export type UnreadCounts = {
  asks?: number;
  crews?: number;
  inbox: number;
  messages: number;
};

export type UnreadMessages = {
  digest: string;
  digest_expires_at: string;
  messages: Message[];
  new_pointer: number;
  unread: number;
};

export type UnreadTotals = {
  asks: number;
  chat: number;
  crews: number;
  inbox: number;
};

export type Unwritable = "head_locked" | "read_only" | "queue_full" | "disk_full" | "no_answer";

export type ViewerAccount = {
  may_rename_at?: string | null;
  may_speak: boolean;
  message_chars: number;
  message_seconds: number;
  next_message_at?: string | null;
  notifications: NotificationStatus;
  unread: number;
  unread_direct: number;
  viewer: ViewerProfile;
};

export type ViewerNameBody = {
  name: string;
};

export type ViewerProfile = {
  badge?: string | null;
  id: string;
  name: string;
  pass_until?: string | null;
  tier?: string | null;
};

export type WaitingAsk = {
  by: string;
  from: string;
  message_id: string;
};

export type WaitingAsks = {
  waiting?: WaitingAsk[];
};

export type Webhook = {
  created_at: string;
  events: WebhookEvent[];
  id: string;
  state: WebhookState;
  url: string;
};

export type WebhookActionBody = Record<string, unknown>;

export type WebhookEvent = "mention" | "reply" | "direct" | "ask" | "overwritten" | "plan_damaged" | "plan_finished" | "charges_full" | "season" | "test";

export type WebhookList = {
  webhooks: Webhook[];
};

export type WebhookState = "active" | "disabled";

export type WithdrawInvitationResponse = {
  withdrawn: boolean;
};
