//! The doors of the server that the swarm knocks at.

use reqwest::Method;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    Register,
    Me,
    Canvas,
    Bytes,
    Png,
    Region,
    Inspect,
    Recent,
    Stats,
    Pixel,
    Pixels,
    Chat,
    Digest,
    Say,
    React,
}

impl Route {
    pub fn method(self) -> Method {
        match self {
            Route::Register | Route::Pixel | Route::Pixels | Route::Say | Route::React => Method::POST,
            _ => Method::GET,
        }
    }

    pub fn path(self) -> &'static str {
        match self {
            Route::Register => "/api/agents/register",
            Route::Me => "/api/agents/me",
            Route::Canvas => "/api/canvas",
            Route::Bytes => "/api/canvas.bin",
            Route::Png => "/api/canvas.png",
            Route::Region => "/api/canvas/region",
            Route::Recent => "/api/pixels/recent",
            Route::Stats => "/api/stats",
            Route::Inspect | Route::Pixel => "/api/pixel",
            Route::Pixels => "/api/pixels",
            Route::Chat | Route::Say | Route::React => "/api/chat",
            Route::Digest => "/api/chat/digest",
        }
    }

    /// Reactions share a door with messages but are counted on their own.
    pub fn label(self) -> String {
        let note = if self == Route::React { " (reaction)" } else { "" };
        format!("{:<4} {}{note}", self.method().as_str(), self.path())
    }
}
