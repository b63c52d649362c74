//! Coming in: back from Checkout, with a key, or by a link that was sent by mail; and going out.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use super::desk::{Note, NoteBody, sent, signed_in};
use super::posted::Posted;
use crate::app::App;
use crate::gallery::checkout::Arrival;
use crate::gallery::sessions;
use crate::http::Answer;
use crate::http::request::auth_viewer::viewer_by_key;
use crate::http::request::query::Params;
use crate::http::request::viewer_cookies::{Cookies, to};
use crate::http::request::{address, authentication};
use crate::http::response::codes::Code;
use crate::http::response::private::private;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::refusal::Refusal;

const HOME: &str = "/gallery";
const LONGEST_ADDRESS: usize = 254;

/// Back from Checkout. A browser that has not begun it is signed in as nobody.
pub async fn welcome(request: HttpRequest, app: Data<App>, door: Data<HttpState>) -> Answer {
    authentication::count(&request, None)?;
    let params = Params::of(&request)?;
    let cookies = Cookies::of(&request, &door);
    let (id, form) = (params.text("session_id")?.unwrap_or_default(), cookies.form.clone());
    let arrival = match form {
        Some(form) => {
            door.limits.coming_back(address::of(&request, &door.trusted_proxies))?;
            app.gallery.come_back(&app.state, id, &form).await?
        }
        None => Arrival::Stranger,
    };
    let mut response = private(HttpResponse::Ok());
    Ok(match arrival {
        Arrival::Welcome { session, key: Some(key) } => {
            Cookies::sign_in(&door, &mut response, &session);
            sent(response, &app, &key_page(["Thank you", "You may speak now."], &key))?
        }
        Arrival::Welcome { session, key: None } => {
            let mut response = to(HOME);
            Cookies::sign_in(&door, &mut response, &session);
            response.finish()
        }
        Arrival::Again => return come_in_again(&app, &door, cookies, id).await,
        Arrival::Unpaid => sent(response, &app, &Note::new(UNPAID, NoteBody::Advice(LATER)))?,
        Arrival::Stranger => sent(response, &app, &Note::new(STRANGER, NoteBody::Advice(ELSEWHERE)))?,
    })
}

/// Back once more. Who is not signed in has perhaps never got the answer.
async fn come_in_again(app: &App, door: &HttpState, mut cookies: Cookies, id: &str) -> Answer {
    let mut response = to(HOME);
    let is_in = signed_in(app, door, &mut cookies, &mut response).await?.is_some();
    if !is_in && let Some(form) = &cookies.form {
        let session = app.gallery.let_in_again(&app.state, id, form).await?;
        session.iter().for_each(|session| Cookies::sign_in(door, &mut response, session));
    }
    Ok(response.finish())
}

const UNPAID: [&str; 3] = ["Not paid yet", "Stripe has not told us of a payment.", "What to do"];
const LATER: &str = "Load this page again in a moment. Some ways to pay take days: keep this page’s address then, and open it in this \
     browser when you have paid.";
const STRANGER: [&str; 3] = ["Not begun here", "This browser has not begun that payment.", "What to do"];
const ELSEWHERE: &str = "Should you have paid in another browser, go on there; or let a link be sent to you, below your \
     address on the pass’s page.";

/// Returns the page that shows a key, once.
pub fn key_page<'a>([title, lead]: [&'a str; 2], key: &'a str) -> Note<'a> {
    Note::new([title, lead, "Your key"], NoteBody::Key(key))
}

/// In with a key.
pub async fn sign_in(request: HttpRequest, app: Data<App>, door: Data<HttpState>, posted: Posted) -> Answer {
    let viewer = viewer_by_key(&request, posted.field("key")).await?;
    let session = sessions::sign_in(&app.state, &viewer).await?;
    leave(&app, &posted.cookies).await?;
    let mut response = to(HOME);
    Cookies::sign_in(&door, &mut response, &session);
    Ok(response.finish())
}

/// Out.
pub async fn sign_out(app: Data<App>, door: Data<HttpState>, mut posted: Posted) -> Answer {
    leave(&app, &posted.cookies).await?;
    let mut response = to(HOME);
    posted.cookies.sign_out(&door, &mut response);
    Ok(response.finish())
}

/// The session that a browser had before ends.
async fn leave(app: &App, cookies: &Cookies) -> Result<(), Refusal> {
    match &cookies.session {
        Some(session) => sessions::sign_out(&app.state, session).await,
        None => Ok(()),
    }
}

/// Asks for a link by mail. The answer is the same for every address.
pub async fn lost(request: HttpRequest, app: Data<App>, door: Data<HttpState>, posted: Posted) -> Answer {
    let email = posted.field("email");
    let is_address = email.len() <= LONGEST_ADDRESS
        && email.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty())
        && !email.chars().any(|letter| letter.is_whitespace() || letter.is_control());
    if !is_address {
        return Err(Problem::field(Code::InvalidField, "email", "That is no mail address."));
    }
    door.limits.letter(address::of(&request, &door.trusted_proxies))?;
    app.gallery.ask_for_link(email.to_owned());
    let advice = "The link works once, for 15 minutes. Should nothing come, look among the unwanted mail.";
    sent(private(HttpResponse::Ok()), &app, &Note::new(ON_ITS_WAY, NoteBody::Advice(advice)))
}

const ON_ITS_WAY: [&str; 3] =
    ["On its way", "If a pass was bought with this address, a link is on its way to it.", "What to do"];

/// Where a link leads. Nothing has happened yet: programs that look into mail follow links too.
pub async fn link(request: HttpRequest, app: Data<App>, door: Data<HttpState>) -> Answer {
    authentication::count(&request, None)?;
    let params = Params::of(&request)?;
    let mut cookies = Cookies::of(&request, &door);
    let mut response = private(HttpResponse::Ok());
    cookies.form(&door, &mut response)?;
    let link = params.text("token")?.unwrap_or_default();
    let body = NoteBody::Link { token: cookies.form_token(), link };
    sent(response, &app, &Note::new(NEW_KEY, body))
}

const NEW_KEY: [&str; 3] = ["A new key", "For who has lost the one of a Gallery Pass.", "Here it is"];

/// In by a link, which is used up.
pub async fn use_link(app: Data<App>, door: Data<HttpState>, posted: Posted) -> Answer {
    let returned =
        app.gallery.use_link(&app.state, posted.field("link")).await.map_err(|refusal| match refusal {
            Refusal::KeyInvalid => Problem::new(Code::Forbidden, "This link was used before, or is too old.")
                .hint("Ask for another one on the pass’s page, /gallery."),
            other => other.into(),
        })?;
    leave(&app, &posted.cookies).await?;
    let mut response = private(HttpResponse::Ok());
    Cookies::sign_in(&door, &mut response, &returned.session);
    sent(response, &app, &key_page(["Welcome back", "The old key has stopped."], &returned.key))
}
