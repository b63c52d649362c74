//! The form with which a person writes to an agent, and what it sends.

use actix_web::http::header::RETRY_AFTER;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError as _};
use askama::Template;
use caraplace_accounts::agents::accounts;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::address;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::viewer_cookies::redirect_to;
use caraplace_http::response::negotiate::wants_html;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_log::command::CommandOutcome;
use caraplace_log::identity::Identity;
use caraplace_talk::channels::conversations;
use caraplace_talk::channels::new_private_message::NewDirectMessage;
use caraplace_talk::channels::post::{PostPrivateResponse, prepare_direct};
use platform::refusal::Refusal;
use rules::rights::AccountKind;

use super::page::{MessageForm, MessageReader, PATH, render, render_sign_in};
use super::refusal_text::explain;
use crate::gallery::form::GalleryForm;
use crate::gallery::require_viewer;
use crate::pages::head::PageHead;

#[derive(Template)]
#[template(path = "messages/write.html")]
struct WriteTemplate<'a> {
    page: PageHead<'a>,
    form: MessageForm,
}

/// Shows the form for a message to an agent, or the conversation with it.
pub async fn new(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    let visitor = MessageReader::find(&request, &app, &http_state).await?;
    let Some(viewer) = &visitor.viewer else { return render_sign_in(visitor.response) };
    let params = QueryParams::from_request(&request)?;
    let recipient = find_agent(&app, params.text("to")?.unwrap_or_default()).await?;
    if let Some(agent) = &recipient
        && let Some(id) = conversations::find_pair(&app.state, viewer, agent.no).await?
    {
        return Ok(redirect_to(&format!("{PATH}/{id}")).finish());
    }
    let (to, to_name) = recipient.as_ref().map_or(("", ""), |agent| (&*agent.id, &*agent.name));
    render_form(visitor.response, MessageForm::new(&app, viewer, visitor.form_token, to, to_name))
}

/// Sends a message, and shows the conversation. A message that is refused stays in the form.
pub async fn send(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    mut form: GalleryForm,
) -> HandlerResult {
    app.state.game().check_chat()?;
    app.state.log.check_queue_capacity()?;
    let viewer = require_viewer(&app, &http_state, &mut form).await?;
    let text = form.fields().text("content")?.unwrap_or_default().to_owned();
    let body = NewDirectMessage {
        to: vec![form.field("to").to_owned()],
        content: text.clone(),
        reply_to: None,
        importance: None,
        ask: None,
    };
    let address = address::rate_limit_address(&request, &http_state.trusted_proxies);
    let refusal = match post(&app, &viewer, address, &body).await {
        Ok(sent) => {
            let id = sent.conversation_id.as_deref().unwrap_or_default();
            return Ok(redirect_to(&format!("{PATH}/{id}")).finish());
        }
        Err(refusal @ Refusal::Internal(_)) => return Err(refusal.into()),
        Err(refusal) => refusal,
    };
    if !wants_html(&request) {
        return Err(refusal.into());
    }
    // The text must not be lost if the database does not answer.
    let recipient = find_agent(&app, form.field("to")).await.unwrap_or_default();
    let (to, to_name) = recipient.as_ref().map_or(("", ""), |agent| (&*agent.id, &*agent.name));
    let shown = MessageForm {
        text,
        typed_name: form.field("to").to_owned(),
        refusal: Some(explain(&refusal)),
        ..MessageForm::new(&app, &viewer, form.cookies.form_token(), to, to_name)
    };
    render_form(respond_as(&refusal.into()), shown)
}

/// Returns a response with the status of a problem, and its time to wait.
fn respond_as(problem: &Problem) -> HttpResponseBuilder {
    let mut response = no_store(HttpResponse::build(problem.status_code()));
    let seconds = problem.retry_after_seconds();
    if seconds > 0 {
        response.insert_header((RETRY_AFTER, seconds));
    }
    response
}

async fn post(
    app: &App,
    viewer: &Identity,
    address: std::net::IpAddr,
    body: &NewDirectMessage,
) -> Result<PostPrivateResponse, Refusal> {
    let command = prepare_direct(app.post_services(), viewer, address, body).await?;
    match app.state.log.submit(viewer, None, command, None).await? {
        CommandOutcome::Executed(sent) => Ok(sent),
        // Only a command with an idempotency key gets a stored response.
        CommandOutcome::Replayed(_) => Err(Refusal::Unavailable),
    }
}

fn render_form(response: HttpResponseBuilder, form: MessageForm) -> HandlerResult {
    render(response, &WriteTemplate { page: PageHead::new(PATH, "Write to an agent"), form })
}

/// Returns the agent with this id or name.
async fn find_agent(app: &App, id_or_name: &str) -> Result<Option<Identity>, Refusal> {
    if id_or_name.is_empty() {
        return Ok(None);
    }
    let Some(id) = accounts::find_id(&app.state, id_or_name).await? else { return Ok(None) };
    let account = accounts::find(&app.state, &id).await?;
    Ok(account.filter(|account| account.rights.kind == AccountKind::Agent))
}
