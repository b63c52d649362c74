//! Signs viewers in, after Checkout, with a key or by a link sent by mail; and signs them out.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::gallery::checkout::CheckoutReturn;
use caraplace_accounts::gallery::sessions;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_viewer::authenticate_viewer_by_key;
use caraplace_http::request::authentication::{self, rate_limit_address_of};
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::viewer_cookies::{ViewerCookies, redirect_to};
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use platform::refusal::Refusal;
use platform::refusal::codes::Code;

use super::form::GalleryForm;
use super::page::{NoteBody, NotePage, find_session_viewer, render_gallery_page};

const GALLERY_PATH: &str = "/gallery";
const MAX_EMAIL_BYTES: usize = 254;

/// Signs a viewer in after Checkout. Only the browser that started the Checkout is signed in.
pub async fn welcome(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    authentication::count_request(&request, None)?;
    let params = QueryParams::from_request(&request)?;
    let cookies = ViewerCookies::from_request(&request, &http_state);
    let id = params.text("session_id")?.unwrap_or_default();
    let form_secret = cookies.form_secret.clone();
    let checkout_return = match form_secret {
        Some(form_secret) => {
            http_state.rate_limits.count_checkout_return(rate_limit_address_of(&request)?)?;
            app.gallery.complete_checkout(&app.state, id, &form_secret).await?
        }
        None => CheckoutReturn::UnknownBrowser,
    };
    let mut response = no_store(HttpResponse::Ok());
    Ok(match checkout_return {
        CheckoutReturn::SignedIn { session, key: Some(key), is_duplicate } => {
            ViewerCookies::sign_in(&http_state, &mut response, &session);
            let body = if is_duplicate { NoteBody::DuplicateKey(&key) } else { NoteBody::Key(&key) };
            let titles = ["Thank you", "You can write in the chat now.", "Your key"];
            render_gallery_page(response, &app, &NotePage::new(titles, body))?
        }
        CheckoutReturn::SignedIn { session, is_duplicate: true, .. } => {
            ViewerCookies::sign_in(&http_state, &mut response, &session);
            render_gallery_page(response, &app, &DUPLICATE_PAGE)?
        }
        CheckoutReturn::Duplicate => render_gallery_page(response, &app, &DUPLICATE_PAGE)?,
        CheckoutReturn::SignedIn { session, .. } => {
            let mut response = redirect_to(GALLERY_PATH);
            ViewerCookies::sign_in(&http_state, &mut response, &session);
            response.finish()
        }
        CheckoutReturn::AlreadyReturned => return sign_in_again(&app, &http_state, cookies, id).await,
        CheckoutReturn::Unpaid => render_gallery_page(response, &app, &UNPAID_PAGE)?,
        CheckoutReturn::UnknownBrowser => render_gallery_page(response, &app, &OTHER_BROWSER_PAGE)?,
    })
}

/// Handles a repeated return from Checkout. If the viewer is not signed in, the first response was perhaps
/// lost.
async fn sign_in_again(
    app: &App,
    http_state: &HttpState,
    mut cookies: ViewerCookies,
    id: &str,
) -> HandlerResult {
    let mut response = redirect_to(GALLERY_PATH);
    let is_signed_in = find_session_viewer(app, http_state, &mut cookies, &mut response).await?.is_some();
    if !is_signed_in && let Some(form_secret) = &cookies.form_secret {
        let session = app.gallery.reopen_session(&app.state, id, form_secret).await?;
        session.iter().for_each(|session| ViewerCookies::sign_in(http_state, &mut response, session));
    }
    Ok(response.finish())
}

const DUPLICATE_PAGE: NotePage<'static> = NotePage::advice(
    ["You paid twice", "You already have a pass from another Checkout.", "What happens now"],
    "The second subscription is cancelled, and its payment is refunded: you need not do anything. Banks \
     take up to ten days to show a refund. Your pass goes on. If this browser is not signed in, use your \
     key.",
);
const UNPAID_PAGE: NotePage<'static> = NotePage::advice(
    ["Not paid yet", "Stripe has not reported a payment yet.", "What to do"],
    "Load this page again in a moment. Some payment methods take days: save this page’s address, and open \
     it in this browser when you have paid.",
);
const OTHER_BROWSER_PAGE: NotePage<'static> = NotePage::advice(
    ["Another browser", "Another browser started this payment.", "What to do"],
    "If you have paid in another browser, continue there. Or enter your mail address on the Gallery Pass \
     page to get a link.",
);

/// Returns the page that shows a new key once.
pub fn key_page<'a>([title, lead]: [&'a str; 2], key: &'a str) -> NotePage<'a> {
    NotePage::new([title, lead, "Your key"], NoteBody::Key(key))
}

/// Signs a viewer in with a key.
pub async fn sign_in(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    form: GalleryForm,
) -> HandlerResult {
    let viewer = authenticate_viewer_by_key(&request, form.field("key")).await?;
    let session = sessions::sign_in(&app.state, &viewer).await?;
    end_previous_session(&app, &form.cookies).await?;
    let mut response = redirect_to(GALLERY_PATH);
    ViewerCookies::sign_in(&http_state, &mut response, &session);
    Ok(response.finish())
}

/// Signs a viewer out.
pub async fn sign_out(app: Data<App>, http_state: Data<HttpState>, mut form: GalleryForm) -> HandlerResult {
    end_previous_session(&app, &form.cookies).await?;
    let mut response = redirect_to(GALLERY_PATH);
    form.cookies.sign_out(&http_state, &mut response);
    Ok(response.finish())
}

/// Ends the session of this browser, if it has one.
async fn end_previous_session(app: &App, cookies: &ViewerCookies) -> Result<(), Refusal> {
    match &cookies.session {
        Some(session) => sessions::sign_out(&app.state, session).await,
        None => Ok(()),
    }
}

/// Sends a sign-in link by mail. The response is the same for every address, so it does not reveal who has a
/// pass.
pub async fn send_link(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    form: GalleryForm,
) -> HandlerResult {
    let email = form.field("email");
    let is_address = email.len() <= MAX_EMAIL_BYTES
        && email.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty())
        && !email.chars().any(|letter| letter.is_whitespace() || letter.is_control());
    if !is_address {
        return Err(Problem::for_field(Code::InvalidField, "email", "This is not a mail address."));
    }
    http_state.rate_limits.count_magic_link(rate_limit_address_of(&request)?)?;
    app.gallery.request_link(email.to_owned());
    render_gallery_page(no_store(HttpResponse::Ok()), &app, &LINK_SENT_PAGE)
}

const LINK_SENT_PAGE: NotePage<'static> = NotePage::advice(
    ["Check your mail", "If a pass was bought with this address, we send a link to it.", "What to do"],
    "The link works once, for 15 minutes. If no mail arrives, check your spam folder.",
);

/// Shows the form behind a mailed link. Opening it uses nothing up, because mail scanners follow links, too.
pub async fn link(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    authentication::count_request(&request, None)?;
    let params = QueryParams::from_request(&request)?;
    let mut cookies = ViewerCookies::from_request(&request, &http_state);
    let mut response = no_store(HttpResponse::Ok());
    cookies.ensure_form_secret(&http_state, &mut response)?;
    let link = params.text("token")?.unwrap_or_default();
    let body = NoteBody::Link { token: cookies.form_token(), link };
    render_gallery_page(response, &app, &NotePage::new(NEW_KEY_NOTE, body))
}

const NEW_KEY_NOTE: [&str; 3] = ["A new key", "Replaces the lost key of a Gallery Pass.", "New key"];

/// Signs a viewer in by a mailed link, which then stops working, and replaces the key.
pub async fn use_link(app: Data<App>, http_state: Data<HttpState>, form: GalleryForm) -> HandlerResult {
    let recovery = app.gallery.sign_in_with_link(&app.state, form.field("link")).await.map_err(
        |refusal| match refusal {
            Refusal::KeyInvalid => Problem::new(Code::Forbidden, "This link was used before or has expired.")
                .hint("Request a new link on /gallery."),
            other => other.into(),
        },
    )?;
    end_previous_session(&app, &form.cookies).await?;
    let mut response = no_store(HttpResponse::Ok());
    ViewerCookies::sign_in(&http_state, &mut response, &recovery.session);
    let page = key_page(["Welcome back", "Your old key no longer works."], &recovery.key);
    render_gallery_page(response, &app, &page)
}
