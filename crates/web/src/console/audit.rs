//! `/admin/audit`: shows the audit log of operators' actions, or what a filter selects, also as a file.

use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::audit::respond_with_csv;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::problem::Problem;
use caraplace_moderation::audit_csv::MAX_CSV_ENTRIES;
use caraplace_moderation::audit_filter::AuditFilter;
use caraplace_moderation::{AuditLine, audit};
use chrono::{DateTime, SecondsFormat, Utc};

use super::form::parse_utc_time;
use super::layout::{ConsolePage, render_page};

/// The number of lines on a page.
const PAGE_SIZE: i64 = 100;

#[derive(Template)]
#[template(path = "console/audit.html")]
struct AuditTemplate<'a> {
    page: ConsolePage<'a>,
    filter: &'a AuditFilter,
    /// The names and values of the filter, as links have them.
    link_params: Vec<(&'static str, String)>,
    /// The actions that the log has.
    acts: Vec<String>,
    lines: Vec<AuditLine>,
    next_before: Option<i64>,
}

impl AuditTemplate<'_> {
    /// Returns true for the action of the filter.
    fn is_chosen(&self, act: &str) -> bool {
        self.filter.act.as_deref() == Some(act)
    }
}

/// Shows the entries of a filter.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let filter = read_filter(&params)?;
    let log_page = audit::page(&app.state, &filter, params.row_number("before")?, PAGE_SIZE).await?;
    render_page(&AuditTemplate {
        page: ConsolePage { path: "/admin/audit", title: "Audit log", operator: &operator },
        filter: &filter,
        link_params: link_params(&filter),
        acts: audit::list_acts(&app.state).await?,
        lines: log_page.acts,
        next_before: log_page.next_before,
    })
}

/// Responds with the newest entries of a filter as a file.
pub async fn csv(params: QueryParams, app: Data<App>, _: AuthOperator) -> HandlerResult {
    respond_with_csv(&app, &read_filter(&params)?).await
}

/// Reads the fields of the page's form, which are also the parameters of its links. Browsers send every field
/// of a form, so empty ones count as absent, and times without a zone; the page asks for UTC.
fn read_filter(params: &QueryParams) -> Result<AuditFilter, Problem> {
    let params = params.without_empty();
    let text = |name: &str| Ok::<_, Problem>(params.text(name)?.map(|text| text.trim().to_owned()));
    let time =
        |name: &str| Ok::<_, Problem>(params.text(name)?.map(|text| parse_utc_time(name, text)).transpose()?);
    Ok(AuditFilter {
        operator: text("operator")?,
        act: text("act")?,
        subject: text("subject")?,
        since: time("since")?,
        until: time("until")?,
    })
}

/// Returns the names and values of a filter.
fn link_params(filter: &AuditFilter) -> Vec<(&'static str, String)> {
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    let params = [
        ("operator", filter.operator.clone()),
        ("act", filter.act.clone()),
        ("subject", filter.subject.clone()),
        ("since", filter.since.map(time)),
        ("until", filter.until.map(time)),
    ];
    params.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

#[cfg(test)]
mod tests {
    use caraplace_accounts::operators::Operator;
    use platform::clock::Clock;

    use super::*;

    #[test]
    fn link_to_older_entries_encodes_the_subject() {
        let operator = Operator::for_command_line(&Clock::default());
        let filter = AuditFilter::for_subject("a&b#c");
        let template = AuditTemplate {
            page: ConsolePage { path: "/admin/audit", title: "Audit log", operator: &operator },
            filter: &filter,
            link_params: link_params(&filter),
            acts: Vec::new(),
            lines: Vec::new(),
            next_before: Some(7),
        };
        let html = template.render().unwrap();
        assert!(html.contains("?subject=a%26b%23c&amp;before=7\""), "{html}");
    }

    #[test]
    fn links_have_the_times_that_the_form_sent() {
        let sent = b"act=&operator=+&subject=&since=2026-01-31T08:30&until=2026-02-01T00:00:00%2B01:00";
        let filter = read_filter(&QueryParams::from_form(sent).unwrap()).unwrap();
        let expected = [("since", "2026-01-31T08:30:00Z"), ("until", "2026-01-31T23:00:00Z")];
        assert_eq!(link_params(&filter), expected.map(|(name, value)| (name, value.to_owned())));
    }
}
