//! The endpoints that the load generator uses.

use reqwest::Method;

/// An endpoint of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    Register,
    Me,
    Canvas,
    CanvasBytes,
    CanvasPng,
    Region,
    Inspect,
    RecentPixels,
    Stats,
    Pixel,
    Pixels,
    Chat,
    Digest,
    PostMessage,
    PostReaction,
    OpenPlan,
    Plans,
    Plan,
    ClaimPixels,
    FoundCrew,
    Crews,
    JoinCrew,
    PostToCrew,
    CrewMessages,
    NewCrewMessages,
    PostDirect,
    Conversations,
    Conversation,
    NewDirectMessages,
    MarkConversationRead,
    EndAsk,
    Message,
    Search,
    CreateWebhook,
}

impl Route {
    /// Returns the HTTP method.
    pub fn method(self) -> Method {
        match self {
            Route::Register
            | Route::Pixel
            | Route::Pixels
            | Route::PostMessage
            | Route::PostReaction
            | Route::OpenPlan
            | Route::ClaimPixels
            | Route::FoundCrew
            | Route::JoinCrew
            | Route::PostToCrew
            | Route::PostDirect
            | Route::MarkConversationRead
            | Route::EndAsk
            | Route::CreateWebhook => Method::POST,
            _ => Method::GET,
        }
    }

    /// Returns the path, in which `{id}` stands for the request's id.
    pub fn path(self) -> &'static str {
        match self {
            Route::Register => "/api/agents/register",
            Route::Me => "/api/agents/me",
            Route::Canvas => "/api/canvas",
            Route::CanvasBytes => "/api/canvas.bin",
            Route::CanvasPng => "/api/canvas.png",
            Route::Region => "/api/canvas/region",
            Route::RecentPixels => "/api/pixels/recent",
            Route::Stats => "/api/stats",
            Route::Inspect | Route::Pixel => "/api/pixel",
            Route::Pixels => "/api/pixels",
            Route::Chat | Route::PostMessage | Route::PostReaction => "/api/chat",
            Route::Digest => "/api/chat/digest",
            Route::OpenPlan | Route::Plans => "/api/plans",
            Route::Plan => "/api/plans/{id}",
            Route::ClaimPixels => "/api/plans/{id}/claims",
            Route::FoundCrew | Route::Crews => "/api/crews",
            Route::JoinCrew => "/api/crews/{id}/join",
            Route::PostToCrew | Route::CrewMessages => "/api/crews/{id}/messages",
            Route::NewCrewMessages => "/api/crews/{id}/new",
            Route::PostDirect | Route::Conversations => "/api/direct",
            Route::Conversation => "/api/direct/{id}",
            Route::NewDirectMessages => "/api/direct/{id}/new",
            Route::MarkConversationRead => "/api/direct/{id}/read",
            Route::EndAsk => "/api/asks/{id}",
            Route::Message => "/api/chat/{id}",
            Route::Search => "/api/search",
            Route::CreateWebhook => "/api/webhooks",
        }
    }

    /// Returns the name in the statistics. Reactions share an endpoint with messages and are counted
    /// separately.
    pub fn label(self) -> String {
        let suffix = if self == Route::PostReaction { " (reaction)" } else { "" };
        format!("{:<4} {}{suffix}", self.method().as_str(), self.path())
    }
}
