//! `/admin/account`: the operator's own password, codes and sessions.

use actix_web::ResponseError as _;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::operators::Operator;
use caraplace_accounts::operators::codes::CodeSetup;
use caraplace_accounts::operators::own_account::{self, OwnAccount};
use caraplace_accounts::operators::sign_in::{Confirmation, SignInError};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::response::problem::Problem;
use chrono::{DateTime, Utc};
use platform::refusal::codes::Code;
use platform::refusal::{Refusal, internal};
use qrcode::{Color, QrCode};
use rules::operators::FIRST_OWNER_ID;
use serde::Deserialize;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page_with_status};

const PATH: &str = "/admin/account";
/// The width of the white edge that readers need around a QR code, in modules.
const QR_EDGE: usize = 4;

#[derive(Template)]
#[template(path = "console/account.html")]
struct AccountTemplate<'a> {
    page: ConsolePage<'a>,
    is_first_owner: bool,
    account: OwnAccount,
    shown: Shown,
    now: DateTime<Utc>,
}

/// The part of the page that answers a form.
#[derive(Default)]
struct Shown {
    /// The sentence that says what was done; empty if nothing was.
    notice: String,
    /// The reason why nothing was done; empty if there is none.
    refusal: String,
    /// The codes that are being set up; `None` if none are.
    setup: Option<ShownSetup>,
    /// New recovery codes, which are shown only once.
    recovery_codes: Vec<String>,
}

/// The secret of codes that are being set up.
struct ShownSetup {
    secret: String,
    picture: QrPicture,
}

/// A QR code as a path of squares, one for each dark module.
struct QrPicture {
    /// The width and height in modules, with the edge.
    side: usize,
    cells: Vec<QrCell>,
}

/// The place of a dark module.
struct QrCell {
    column: usize,
    row: usize,
}

/// The fields that confirm a change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfirmationForm {
    password: String,
    #[serde(default)]
    code: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PasswordForm {
    password: String,
    #[serde(default)]
    code: String,
    new_password: String,
    repeated: String,
}

impl From<ConfirmationForm> for Confirmation {
    fn from(form: ConfirmationForm) -> Self {
        Self { password: form.password, code: form.code }
    }
}

impl QrPicture {
    /// Returns the QR code of a text.
    fn new(text: &str) -> Result<Self, Refusal> {
        let code = QrCode::new(text).map_err(internal("drawing a QR code"))?;
        let width = code.width();
        let colors = code.into_colors();
        let dark = colors.iter().enumerate().filter(|(_, color)| **color == Color::Dark);
        let cell = |index: usize| QrCell { column: index % width + QR_EDGE, row: index / width + QR_EDGE };
        Ok(Self { side: width + 2 * QR_EDGE, cells: dark.map(|(index, _)| cell(index)).collect() })
    }
}

impl ShownSetup {
    fn new(setup: CodeSetup) -> Result<Self, Refusal> {
        let CodeSetup { secret, address } = setup;
        Ok(Self { secret, picture: QrPicture::new(&address)? })
    }
}

/// Shows the operator's own account.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_account(&app, &operator, StatusCode::OK, Shown::default()).await
}

/// Changes the password.
pub async fn change_password(form: ConsoleForm) -> HandlerResult {
    let PasswordForm { password, code, new_password, repeated } = form.read()?;
    if new_password != repeated {
        let refusal = "The two new passwords differ. Type them again.".to_owned();
        let shown = Shown { refusal, ..Shown::default() };
        return render_account(&form.app, &form.operator, StatusCode::BAD_REQUEST, shown).await;
    }
    let (app, operator) = (&form.app, &form.operator);
    let confirmation = Confirmation { password, code };
    match app.operators.change_password(&app.state, operator, confirmation, new_password).await {
        Ok(()) => {
            let keys = own_account::list_live_key_names(&app.state, operator).await?;
            let notice = describe_new_password(&keys);
            render_account(app, operator, StatusCode::OK, Shown { notice, ..Shown::default() }).await
        }
        Err(reason) => render_refused(app, operator, reason, None).await,
    }
}

/// Returns the sentences about a new password for an operator with these keys.
fn describe_new_password(keys: &[String]) -> String {
    let changed = "Your password is changed, and your other sessions have ended.";
    if keys.is_empty() {
        return changed.to_owned();
    }
    let keys = keys.join(", ");
    format!("{changed} Your keys still work: {keys}. Revoke them under Keys if you do not know them.")
}

/// Draws a secret for codes, and shows it.
pub async fn prepare_codes(form: ConsoleForm) -> HandlerResult {
    let setup = form.app.operators.prepare_codes(&form.app.state, &form.operator).await?;
    let shown = Shown { setup: Some(ShownSetup::new(setup)?), ..Shown::default() };
    render_account(&form.app, &form.operator, StatusCode::OK, shown).await
}

/// Switches on codes, and shows the recovery codes once.
pub async fn switch_on_codes(form: ConsoleForm) -> HandlerResult {
    let confirmation: ConfirmationForm = form.read()?;
    let (app, operator) = (&form.app, &form.operator);
    match app.operators.switch_on_codes(&app.state, operator, confirmation.into()).await {
        Ok(recovery_codes) => {
            let notice = "Codes are switched on. From now on, each sign-in needs one.".to_owned();
            let shown = Shown { notice, recovery_codes, ..Shown::default() };
            render_account(app, operator, StatusCode::OK, shown).await
        }
        Err(reason) => {
            // Without prepared codes the page still says why.
            let setup = app.operators.find_prepared_codes(&app.state, operator).await.ok();
            render_refused(app, operator, reason, setup.map(ShownSetup::new).transpose()?).await
        }
    }
}

/// Switches off codes.
pub async fn switch_off_codes(form: ConsoleForm) -> HandlerResult {
    let confirmation: ConfirmationForm = form.read()?;
    let (app, operator) = (&form.app, &form.operator);
    match app.operators.switch_off_codes(&app.state, operator, confirmation.into()).await {
        Ok(()) => {
            let notice = "Codes are switched off: your password is enough to sign in.".to_owned();
            render_account(app, operator, StatusCode::OK, Shown { notice, ..Shown::default() }).await
        }
        Err(reason) => render_refused(app, operator, reason, None).await,
    }
}

/// Replaces the recovery codes, and shows the new ones once.
pub async fn renew_recovery_codes(form: ConsoleForm) -> HandlerResult {
    let confirmation: ConfirmationForm = form.read()?;
    let (app, operator) = (&form.app, &form.operator);
    match app.operators.renew_recovery_codes(&app.state, operator, confirmation.into()).await {
        Ok(recovery_codes) => {
            let notice = "These recovery codes replace all earlier ones.".to_owned();
            let shown = Shown { notice, recovery_codes, ..Shown::default() };
            render_account(app, operator, StatusCode::OK, shown).await
        }
        Err(reason) => render_refused(app, operator, reason, None).await,
    }
}

/// Ends one of the operator's sessions.
pub async fn end_session(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    own_account::end_session(&form.app.state, &form.operator, &id).await?;
    Ok(redirect(PATH).finish())
}

/// Ends all sessions of the operator but this one.
pub async fn end_other_sessions(form: ConsoleForm) -> HandlerResult {
    own_account::end_other_sessions(&form.app.state, &form.operator).await?;
    Ok(redirect(PATH).finish())
}

/// Shows the account with the reason why a change was refused.
async fn render_refused(
    app: &App,
    operator: &Operator,
    reason: SignInError,
    setup: Option<ShownSetup>,
) -> HandlerResult {
    let problem = match reason {
        SignInError::WrongCredentials => {
            Problem::new(Code::KeyInvalid, "Wrong password or code. Nothing was changed.")
        }
        SignInError::Locked { wait } => {
            let seconds = wait.num_seconds() + 1;
            let detail =
                format!("There were too many wrong passwords. Wait for {seconds} s, then try again.");
            Problem::new(Code::TooManyRequests, detail).retry_after(wait)
        }
        SignInError::Refused(refusal) => refusal.into(),
    };
    let status = problem.status_code();
    if status.is_server_error() {
        return Err(problem);
    }
    let shown = Shown { refusal: problem.detail, setup, ..Shown::default() };
    render_account(app, operator, status, shown).await
}

async fn render_account(app: &App, operator: &Operator, status: StatusCode, shown: Shown) -> HandlerResult {
    let template = AccountTemplate {
        page: ConsolePage { path: PATH, title: "Account", operator },
        is_first_owner: operator.id == FIRST_OWNER_ID,
        account: own_account::find(&app.state, operator).await?,
        shown,
        now: app.state.clock.now(),
    };
    render_page_with_status(status, &template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qr_code_has_its_finders_within_an_edge() {
        let picture = QrPicture::new("otpauth://totp/Caraplace:owner?secret=GEZDGNBV").unwrap();
        let is_dark = |column, row| picture.cells.iter().any(|cell| (cell.column, cell.row) == (column, row));
        let last = picture.side - QR_EDGE - 1;
        for (column, row) in [(QR_EDGE, QR_EDGE), (last, QR_EDGE), (QR_EDGE, last)] {
            assert!(is_dark(column, row), "{column} {row}");
        }
        assert!(picture.cells.iter().all(|cell| cell.column.min(cell.row) >= QR_EDGE));
        assert!(picture.cells.iter().all(|cell| cell.column.max(cell.row) <= last));
    }
}
