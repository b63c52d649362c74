//! `/admin/audit`: shows the audit log of operators' actions.

use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_moderation::{AuditLine, audit};

use super::layout::{ConsolePage, render_page};

/// The number of lines on a page.
const PAGE_SIZE: i64 = 100;

#[derive(Template)]
#[template(path = "console/audit.html")]
struct AuditTemplate<'a> {
    page: ConsolePage<'a>,
    subject: Option<&'a str>,
    lines: Vec<AuditLine>,
    next_before: Option<i64>,
}

/// Shows the audit log, or its part about one subject.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let subject = params.text("subject")?;
    let log_page = audit::page(&app.state, params.row_number("before")?, PAGE_SIZE, subject).await?;
    let page = ConsolePage { path: "/admin/audit", title: "Audit log", operator: &operator };
    render_page(&AuditTemplate { page, subject, lines: log_page.acts, next_before: log_page.next_before })
}

#[cfg(test)]
mod tests {
    use caraplace_accounts::operators::Operator;
    use platform::clock::Clock;

    use super::*;

    #[test]
    fn link_to_older_entries_encodes_the_subject() {
        let operator = Operator::for_command_line(&Clock::default());
        let page = ConsolePage { path: "/admin/audit", title: "Audit log", operator: &operator };
        let template =
            AuditTemplate { page, subject: Some("a&b#c"), lines: Vec::new(), next_before: Some(7) };
        let html = template.render().unwrap();
        assert!(html.contains("?subject=a%26b%23c&amp;before=7\""), "{html}");
    }
}
