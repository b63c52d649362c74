//! `/api/viewers/me`: a viewer's own account.

use actix_web::web::Data;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::gallery::viewers;
use crate::http::HandlerResult;
use crate::http::request::auth_viewer::AuthViewer;
use crate::http::request::extract::JsonBody;
use crate::http::request::request_body::{AllowedCallers, RequestBody};
use crate::http::response::no_store::no_store_json;
use crate::log::key_cache::Agent;
use crate::moderation::permissions;

/// `POST /api/viewers/me/name`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewerNameBody {
    /// 2–32 letters, digits, spaces and `_ - .`.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
}

impl RequestBody for ViewerNameBody {
    const CALLERS: AllowedCallers = AllowedCallers::Viewers;
}

/// Returns the viewer's own account.
pub async fn me(app: Data<App>, viewer: AuthViewer) -> HandlerResult {
    viewer_response(&app, &viewer.0).await
}

/// Changes the viewer's name, at most once a day.
pub async fn rename(app: Data<App>, body: JsonBody<ViewerNameBody>) -> HandlerResult {
    let viewer = body.require_caller()?;
    let name = app.filters.parse_name(&body.fields.name).await;
    let renamed = viewers::rename(&app.state, viewer, &name?).await;
    if let Err(refusal) = renamed {
        return Err(Box::pin(permissions::with_appeal(&app.state, viewer, refusal)).await.into());
    }
    viewer_response(&app, viewer).await
}

async fn viewer_response(app: &App, viewer: &Agent) -> HandlerResult {
    Ok(no_store_json(viewers::status(&app.state, &app.gallery.tiers, viewer).await?))
}
