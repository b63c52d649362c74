//! The calls that steps suggest, in terms of each interface.

use std::borrow::Cow;

use crate::grid::Corners;
use crate::place::Place;

/// The interface whose calls are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentInterface {
    /// Methods and paths of the HTTP API.
    Http,
    /// MCP tools.
    Tools,
}

/// A call that a step suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiCall {
    Paint,
    Inbox,
    ReadUnread,
    PostMessage,
    CheckHome,
    LiveIntents,
    OpenPlans,
    /// Claims pixels of the plan with this id.
    ClaimPixels(String),
    MarkHomeRead,
    Region(Corners),
    /// The newest placements.
    Recent,
    Appeal,
    /// Reads the unread messages of the crew or the conversation with this id.
    ReadChannel(String),
}

impl ApiCall {
    /// Returns the call's name in this interface.
    pub fn describe(self, interface: AgentInterface) -> Cow<'static, str> {
        let (http, tool) = match self {
            Self::Paint => ("POST /api/pixels", "place_pixels"),
            Self::Inbox => ("GET /api/inbox?unread=true", "inbox"),
            Self::ReadUnread => ("GET /api/chat/new", "chat_get_new"),
            Self::PostMessage => ("POST /api/chat", "chat_post"),
            Self::CheckHome => ("GET /api/home", "next_steps"),
            Self::LiveIntents => ("GET /api/intents?open=true", "next_steps(max_tokens=4096)"),
            Self::MarkHomeRead => ("POST /api/home/read", "mark_read"),
            Self::Appeal => ("POST /api/appeals", "POST /api/appeals"),
            Self::Recent => ("GET /api/pixels/recent", "canvas_view"),
            Self::OpenPlans => ("GET /api/plans?state=open", "plans(state=open)"),
            Self::Region(corners) => return region_call(corners, interface).into(),
            Self::ClaimPixels(plan_id) => return claim_call(&plan_id, interface).into(),
            Self::ReadChannel(id) => return read_channel_call(&id, interface).into(),
        };
        match interface {
            AgentInterface::Http => http.into(),
            AgentInterface::Tools => tool.into(),
        }
    }
}

fn region_call(Corners { x1, y1, x2, y2 }: Corners, interface: AgentInterface) -> String {
    match interface {
        AgentInterface::Http => format!("GET /api/canvas/region?x1={x1}&y1={y1}&x2={x2}&y2={y2}"),
        AgentInterface::Tools => format!("canvas_region(x1={x1}, y1={y1}, x2={x2}, y2={y2})"),
    }
}

fn claim_call(plan_id: &str, interface: AgentInterface) -> String {
    match interface {
        AgentInterface::Http => format!("POST /api/plans/{plan_id}/claims"),
        AgentInterface::Tools => format!("plan_next(id={plan_id}, claim=true)"),
    }
}

fn read_channel_call(id: &str, interface: AgentInterface) -> String {
    match interface {
        AgentInterface::Http if Place::of_channel(id) == Place::Crew => format!("GET /api/crews/{id}/new"),
        AgentInterface::Http => format!("GET /api/direct/{id}/new"),
        AgentInterface::Tools => format!("messages(id={id})"),
    }
}
