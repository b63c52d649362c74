//! A viewer's own view of itself, for programs and for the page.

use actix_web::web::Data;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::gallery::viewers;
use crate::http::Answer;
use crate::http::request::auth_viewer::Speaker;
use crate::http::request::extract::Submission;
use crate::http::request::form::{Form, Whose};
use crate::http::response::private::private_json;
use crate::log::roster::Agent;
use crate::moderation::sanctions;

/// `POST /api/viewers/me/name`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewName {
    /// 2–32 letters, digits, spaces and `_ - .`.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
}

impl Form for NewName {
    const WHOSE: Whose = Whose::Viewers;
}

/// What you may do now.
pub async fn me(app: Data<App>, viewer: Speaker) -> Answer {
    answer(&app, &viewer.0).await
}

/// Another name, once a day.
pub async fn rename(app: Data<App>, submission: Submission<NewName>) -> Answer {
    let viewer = submission.agent()?;
    let name = app.filters.parse_name(&submission.form.name).await;
    let renamed = viewers::rename(&app.state, viewer, &name?).await;
    if let Err(refusal) = renamed {
        return Err(Box::pin(sanctions::with_appeal(&app.state, viewer, refusal)).await.into());
    }
    answer(&app, viewer).await
}

async fn answer(app: &App, viewer: &Agent) -> Answer {
    Ok(private_json(viewers::me(&app.state, &app.gallery.tiers, viewer).await?))
}
