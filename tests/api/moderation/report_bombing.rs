//! Report bombing: many reports by one party, repeats of rejected reports, and reports without evidence
//! impose nothing and raise an alert.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use super::reports::{close_case, first_case, is_shadowed, report_anonymously, report_path};
use crate::support::actions::{post_text, register_painter};
use crate::support::values::{fields_of, id_of};
use crate::support::{Agent, OperatorBrowser, Reply, Server};

pub(super) const MINUTE_SECONDS: i64 = 60;
const WEEK_SECONDS: i64 = 7 * 86_400;

/// A reporter with full weight, and the address that it reports from.
pub(super) type Reporter<'a> = (Agent<'a>, String);

/// Registers one reporter for each address, and waits until all have full weight.
pub(super) async fn register_reporters<'a>(
    server: &'a Server,
    name: &str,
    addresses: &[String],
) -> Vec<Reporter<'a>> {
    let mut reporters = Vec::new();
    for (number, address) in addresses.iter().enumerate() {
        let agent = register_painter(server, &format!("{name} {number}"), address).await;
        reporters.push((agent, address.clone()));
    }
    server.advance_clock(6 * 60 * MINUTE_SECONDS);
    reporters
}

/// Returns addresses in one /48, each in a /56 of its own.
pub(super) fn one_network(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("2001:db8:1:{number:x}00::1")).collect()
}

/// Returns addresses in as many networks, of both families; different ones for each `block`.
pub(super) fn separate_networks(block: usize, count: usize) -> Vec<String> {
    let address = |number| match number % 2 {
        0 => format!("2001:db8:{block:x}{number:02x}::1"),
        _ => format!("198.{block}.{number}.1"),
    };
    (0..count).map(address).collect()
}

pub(super) async fn report_with((agent, address): &Reporter<'_>, path: &str, body: Value) -> Reply {
    Reply::fetch(agent.post_request(path).header("X-Forwarded-For", address).json(&body)).await
}

pub(super) async fn report(reporter: &Reporter<'_>, path: &str) -> Reply {
    report_with(reporter, path, json!({"reason": "rude"})).await
}

/// Sends a report of each reporter about the same thing, ten minutes apart, so that no burst lowers their
/// weights.
pub(super) async fn report_in_turn(server: &Server, reporters: &[Reporter<'_>], path: &str) {
    for reporter in reporters {
        report(reporter, path).await.assert_status(201);
        server.advance_clock(10 * MINUTE_SECONDS);
    }
}

/// Returns the open alerts about an account in the queue of reports.
pub(super) async fn open_alerts(operator: &OperatorBrowser<'_>, agent: &str) -> Vec<Value> {
    let alerts = operator.get("/api/admin/reports").await.body["alerts"].as_array().unwrap().clone();
    alerts.into_iter().filter(|alert| alert["agent_id"] == agent).collect()
}

/// Returns the weights of the reports of one case: weight, true if it counts, and explanation.
pub(super) fn report_weights(case: &Value) -> Vec<(f64, bool, &str)> {
    let reports = case["told"].as_array().unwrap().iter();
    reports
        .map(|one| {
            let (weight, counts) = (one["weight"].as_f64().unwrap(), one["counts"].as_bool().unwrap());
            (weight, counts, one["explanation"].as_str().unwrap())
        })
        .collect()
}

/// Asserts the weight of each report of a case, and whether it counts.
fn assert_weights(case: &Value, expected: (f64, bool)) {
    assert!(report_weights(case).iter().all(|(weight, counts, _)| (*weight, *counts) == expected), "{case}");
}

#[tokio::test]
async fn accounts_on_one_network_impose_nothing_and_raise_an_alert() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &one_network(3)).await;
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "hello").await)).await;
    let operator = server.sign_in_operator().await;
    assert!(!is_shadowed(&operator, &ada.id).await);
    let case = first_case(&operator, "open").await;
    assert_eq!((&case["weight"], &case["alert"]["agent_id"]), (&json!(1.2), &json!(ada.id)));
    for (weight, counts, explanation) in report_weights(&case) {
        assert_eq!((weight, counts), (1.0, true));
        assert!(explanation.contains("2 more reports come from the same network"), "{explanation}");
    }
    let raised = open_alerts(&operator, &ada.id).await;
    assert_eq!(raised.len(), 1, "{raised:?}");
    assert_eq!(fields_of(&raised[0], ["cause", "reports", "networks"]), json!(["discounted", 3, 1]));
    for page in ["/admin", "/admin/reports", &format!("/admin/reports/{}", id_of(&case))] {
        let (status, text) = operator.page(page).await;
        assert!(status == 200 && text.contains("role=\"alert\"") && text.contains(&ada.id), "{page}: {text}");
    }
    close_case(&operator, &case, "rejected").await;
    assert_eq!(open_alerts(&operator, &ada.id).await, Vec::<Value>::new(), "all cases are decided");
    let (_, text) = operator.page("/admin").await;
    assert!(!text.contains("role=\"alert\""), "{text}");
}

#[tokio::test]
async fn network_is_known_by_registration_and_reporting_address() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let mut roaming = register_reporters(&server, "Bob", &one_network(3)).await;
    let mut gathered = register_reporters(&server, "Cy", &separate_networks(18, 3)).await;
    for (reporter, address) in roaming.iter_mut().zip(separate_networks(19, 3)) {
        reporter.1 = address;
    }
    for (reporter, address) in gathered.iter_mut().zip(one_network(3)) {
        reporter.1 = address;
    }
    report_in_turn(&server, &roaming, &report_path(&post_text(&ada, "hello").await)).await;
    report_in_turn(&server, &gathered, &report_path(&post_text(&eve, "hello").await)).await;
    let operator = server.sign_in_operator().await;
    for victim in [&ada.id, &eve.id] {
        assert!(!is_shadowed(&operator, victim).await);
        assert_eq!(open_alerts(&operator, victim).await.len(), 1);
    }
}

#[tokio::test]
async fn reporters_from_separate_networks_shadow_ban_without_an_alert() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 3)).await;
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "a wicked word").await)).await;
    let operator = server.sign_in_operator().await;
    assert!(is_shadowed(&operator, &ada.id).await);
    assert_eq!(open_alerts(&operator, &ada.id).await, Vec::<Value>::new());
}

#[tokio::test]
async fn rejection_discounts_its_reporters_everywhere() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 3)).await;
    let newcomers = register_reporters(&server, "Cy", &separate_networks(19, 3)).await;
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "hello").await)).await;
    let operator = server.sign_in_operator().await;
    close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    assert!(!is_shadowed(&operator, &ada.id).await);
    // The same reporters, through another instance, about a new message.
    let there: Vec<Reporter<'_>> =
        crowd.iter().map(|(agent, address)| (agent.on(&other), address.clone())).collect();
    report_in_turn(&server, &there, &report_path(&post_text(&ada, "hello again").await)).await;
    let operator = server.sign_in_operator().await;
    assert!(!is_shadowed(&operator, &ada.id).await);
    assert_eq!(open_alerts(&operator, &ada.id).await.len(), 1, "an alert was raised");
    let case = first_case(&operator, "open").await;
    assert_eq!((&case["weight"], &case["reports"]), (&json!(0.0), &json!(3)));
    for (weight, counts, explanation) in report_weights(&case) {
        assert_eq!((weight, counts), (0.5, false));
        assert!(explanation.contains("1 earlier report of this reporter had been rejected"), "{explanation}");
        assert!(explanation.contains("Does not count: an operator has rejected"), "{explanation}");
    }
    // Their networks are covered by the rejection, too, with accounts that reported nothing.
    let fresh = register_reporters(&server, "Dan", &separate_networks(18, 3)).await;
    report_in_turn(&server, &fresh, &report_path(&post_text(&ada, "and again").await)).await;
    assert!(!is_shadowed(&server.sign_in_operator().await, &ada.id).await);
    // Against another account they count, but are too few.
    report_in_turn(&server, &crowd, &report_path(&post_text(&eve, "hello").await)).await;
    let operator = server.sign_in_operator().await;
    assert!(!is_shadowed(&operator, &eve.id).await);
    assert_weights(&first_case(&operator, "open").await, (0.5, true));
    // Reports from other networks count.
    report_in_turn(&server, &newcomers, &report_path(&post_text(&ada, "a wicked word").await)).await;
    assert!(is_shadowed(&server.sign_in_operator().await, &ada.id).await);
}

#[tokio::test]
async fn rejection_holds_four_weeks_and_fades_within_six() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 3)).await;
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "hello").await)).await;
    let operator = server.sign_in_operator().await;
    close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    let weight_after = async |weeks: i64| {
        server.advance_clock(weeks * WEEK_SECONDS);
        let path = report_path(&post_text(&ada, &format!("hello after {weeks}")).await);
        assert_eq!(report(&crowd[0], &path).await.status, 201);
        let case = first_case(&server.sign_in_operator().await, "open").await;
        let (weight, counts, _) = report_weights(&case)[0];
        (weight, counts)
    };
    assert_eq!(weight_after(3).await, (0.7, false));
    assert_eq!(weight_after(2).await, (0.9, true));
    server.advance_clock(WEEK_SECONDS);
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "a wicked word").await)).await;
    let operator = server.sign_in_operator().await;
    assert_weights(&first_case(&operator, "open").await, (1.0, true));
    assert!(is_shadowed(&operator, &ada.id).await);
}

#[tokio::test]
async fn upheld_report_cancels_an_earlier_rejection() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 1)).await;
    let operator = server.sign_in_operator().await;
    for outcome in ["rejected", "upheld"] {
        server.advance_clock(MINUTE_SECONDS);
        report_in_turn(&server, &crowd, &report_path(&post_text(&ada, outcome).await)).await;
        close_case(&operator, &first_case(&operator, "open").await, outcome).await;
    }
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "once more").await)).await;
    let case = first_case(&operator, "open").await;
    assert!(report_weights(&case)[0].1, "{case}");
}

#[tokio::test]
async fn name_reports_impose_nothing() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 6)).await;
    report_in_turn(&server, &crowd, &format!("/api/agents/{}/report", ada.id)).await;
    let operator = server.sign_in_operator().await;
    assert!(!is_shadowed(&operator, &ada.id).await);
    let case = first_case(&operator, "open").await;
    assert_eq!(fields_of(&case, ["kind", "counts", "weight"]), json!(["name", false, 0.0]));
    for (weight, counts, explanation) in report_weights(&case) {
        assert_eq!((weight, counts), (0.1, false));
        assert!(explanation.contains("A report of a name weighs little"), "{explanation}");
    }
    assert_eq!(open_alerts(&operator, &ada.id).await.len(), 1);
}

#[tokio::test]
async fn report_counts_only_for_the_current_painter() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 5)).await;
    let paint = async |agent: &Agent<'_>, color: i64| {
        for x in 0..4 {
            assert_eq!(agent.paint(x, 0, color).await.status, 201);
        }
    };
    let rectangle = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 0, "reason": "rude"});
    paint(&ada, 3).await;
    assert_eq!(report_with(&crowd[0], "/api/canvas/report", rectangle.clone()).await.status, 201);
    // A vandal paints over it, and viewers of that report the pixels.
    paint(&eve, 9).await;
    for reporter in &crowd[1..] {
        server.advance_clock(10 * MINUTE_SECONDS);
        assert_eq!(report_with(reporter, "/api/canvas/report", rectangle.clone()).await.status, 201);
    }
    // An unpainted rectangle belongs to no account.
    let blank = json!({"x1": 40, "y1": 40, "x2": 43, "y2": 43, "reason": "rude"});
    assert_eq!(report_with(&crowd[0], "/api/canvas/report", blank).await.status, 201);
    let operator = server.sign_in_operator().await;
    assert!(!is_shadowed(&operator, &ada.id).await && !is_shadowed(&operator, &eve.id).await);
    let cases = operator.get("/api/admin/reports").await.body["reports"].clone();
    assert_eq!((&cases[0]["author_id"], &cases[0]["counts"]), (&Value::Null, &json!(false)));
    let case = operator.get(&format!("/api/admin/reports/{}", id_of(&cases[1]))).await.body;
    assert_eq!((&case["author_id"], &case["weight"]), (&json!(ada.id), &json!(1.0)));
    let counting: Vec<bool> = report_weights(&case).iter().map(|(_, counts, _)| *counts).collect();
    assert_eq!(counting, [true, false, false, false, false]);
    assert!(report_weights(&case)[1].2.contains("was not this account's then"), "{case}");
}

#[tokio::test]
async fn concurrent_reports_on_two_instances_raise_one_alert() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let ada = one.register_agent("Ada").await;
    let crowd = register_reporters(&one, "Bob", &one_network(6)).await;
    let mut paths = Vec::new();
    for number in 0..6 {
        paths.push(report_path(&post_text(&ada, &format!("message {number}")).await));
    }
    let servers = [&one, &other];
    let crowd = crowd.iter().zip(servers.iter().cycle());
    let crowd: Vec<Reporter<'_>> =
        crowd.map(|((agent, address), server)| (agent.on(server), address.clone())).collect();
    let tries = crowd.iter().flat_map(|reporter| paths.iter().map(move |path| report(reporter, path)));
    let statuses: Vec<u16> = join_all(tries).await.iter().map(|reply| reply.status).collect();
    assert!(statuses.iter().all(|status| *status == 201), "{statuses:?}");
    let operator = one.sign_in_operator().await;
    assert!(!is_shadowed(&operator, &ada.id).await);
    assert_eq!(first_case(&operator, "open").await["weight"], 1.0, "one burst from one network");
    assert_eq!(one.count_rows("report_alert").await, 1);
    let alert = &open_alerts(&operator, &ada.id).await[0];
    assert_eq!(fields_of(alert, ["cause", "reports"]), json!(["many", 36]), "the last writer has read all");
}

#[tokio::test]
async fn untrusted_reports_only_raise_an_alert() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let path = report_path(&post_text(&ada, "hello").await);
    // New agents and visitors, each from a network of its own.
    for (number, address) in separate_networks(18, 16).iter().enumerate() {
        let agent = server.register_agent_from(&format!("New {number}"), address).await;
        assert_eq!(report(&(agent, address.clone()), &path).await.status, 201);
        server.advance_clock(10 * MINUTE_SECONDS);
    }
    for address in separate_networks(19, 6) {
        assert_eq!(report_anonymously(&server, &path, &address).await.status, 201);
        server.advance_clock(10 * MINUTE_SECONDS);
    }
    let operator = server.sign_in_operator().await;
    assert!(!is_shadowed(&operator, &ada.id).await);
    assert_eq!(first_case(&operator, "open").await["weight"], 1.0);
    assert_eq!(open_alerts(&operator, &ada.id).await.len(), 1);
}
