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
            | Route::ClaimPixels => Method::POST,
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
        }
    }

    /// Returns the name in the statistics. Reactions share an endpoint with messages and are counted
    /// separately.
    pub fn label(self) -> String {
        let suffix = if self == Route::PostReaction { " (reaction)" } else { "" };
        format!("{:<4} {}{suffix}", self.method().as_str(), self.path())
    }
}
