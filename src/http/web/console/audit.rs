//! `/admin/audit`: everything that operators did.

use actix_web::HttpRequest;
use actix_web::web::Data;

use super::agents::acts;
use super::frame::Room;
use super::parts::{link, older};
use crate::app::App;
use crate::http::Answer;
use crate::http::request::query::Params;
use crate::http::web::markup::escape;
use crate::moderation::audit;
use crate::operators::Operator;

const HERE: &str = "/admin/audit";
/// How many lines a page has.
const PAGE: i64 = 100;

/// The audit log, or what it says of one subject.
pub async fn page(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?;
    let subject = params.text("subject")?;
    let page = audit::page(&app.state, params.event("before")?, PAGE, subject).await?;
    let about =
        subject.map(|subject| format!("<p>About {}. {}</p>", escape(subject), link(HERE, "All of it")));
    let path = subject.map_or_else(|| HERE.to_owned(), |subject| format!("{HERE}?subject={subject}"));
    let body = format!("{}{}{}", about.unwrap_or_default(), acts(&page.acts), older(&path, page.next_before));
    Ok(Room { path: HERE, title: "Audit log", body }.show(&operator))
}
