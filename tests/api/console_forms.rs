//! The forms of the console send the fields of the API's bodies.

use std::collections::{BTreeMap, BTreeSet};

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::Verb;
use caraplace_http::route::operator_need::OperatorNeed;
use regex::Regex;
use rules::operators::OperatorRole;
use serde_json::{Value, json};

use crate::support::actions::{FREE_CONSOLE_SETTINGS, found_crew, open_plan, post_text};
use crate::support::values::id_of;
use crate::support::waiting::wait_for_rollback;
use crate::support::{Agent, OperatorBrowser, Server};

/// The pages that need no id.
const PAGES: [&str; 15] = [
    "/admin",
    "/admin/reports",
    "/admin/appeals",
    "/admin/messages",
    "/admin/plans",
    "/admin/crews",
    "/admin/agents",
    "/admin/networks",
    "/admin/invitation-codes",
    "/admin/rollbacks",
    "/admin/seasons",
    "/admin/passes",
    "/admin/settings",
    "/admin/keys",
    "/admin/operators",
];
/// Forms whose action has another path in the API.
const PATHS: [(&str, &str); 5] = [
    ("/admin/agents/act", "/api/admin/accounts/act"),
    ("/admin/agents/{id}/erase", "/api/admin/accounts/{id}/erase"),
    ("/admin/reports/{id}/decide", "/api/admin/cases/{id}/decide"),
    ("/admin/agents/{id}/release", "/api/admin/shadow/release"),
    ("/admin/seasons/open", "/api/admin/seasons"),
];
/// Fields of forms that are written otherwise in the bodies.
const FIELDS: [(&str, &str, &str); 13] = [
    ("/admin/agents/{id}/clear", "field", "fields"),
    ("/admin/reports/{id}/decide", "hide_others", "hide"),
    ("/admin/reports/{id}/decide", "agent_id", "rollback"),
    ("/admin/reports/{id}/decide", "x1", "rollback"),
    ("/admin/reports/{id}/decide", "y1", "rollback"),
    ("/admin/reports/{id}/decide", "x2", "rollback"),
    ("/admin/reports/{id}/decide", "y2", "rollback"),
    ("/admin/reports/{id}/decide", "from", "rollback"),
    ("/admin/reports/{id}/decide", "reason_class", "rollback"),
    ("/admin/rollbacks", "x1", "region"),
    ("/admin/rollbacks", "y1", "region"),
    ("/admin/rollbacks", "x2", "region"),
    ("/admin/rollbacks", "y2", "region"),
];
/// A field of a form by which the console asks once more before something is done permanently.
const CONFIRMATION: &str = "confirm";
/// Forms of what the API does without a body, or not at all.
const WITHOUT_BODY: [&str; 5] = [
    "/admin/agents/{id}/revoke-key",
    "/admin/keys/{id}/revoke",
    "/admin/operators/invitations/{id}/withdraw",
    "/admin/operators/{id}/disable",
    "/admin/sign-out",
];
/// The number of forms with a body in the API.
const BODIES: usize = 40;

/// The names of the fields that forms send, by the path of their action.
type Forms = BTreeMap<String, BTreeSet<String>>;

/// The objects that the pages show.
struct Subjects<'a> {
    ada: Agent<'a>,
    /// An agent that waits for an approval, from a blocked network.
    newcomer: Agent<'a>,
    message: String,
    crew: String,
    plan: String,
    reports: Vec<String>,
    decision: String,
    rollback: String,
    preview: String,
}

async fn make_subjects<'a>(server: &'a Server, operator: &OperatorBrowser<'_>) -> Subjects<'a> {
    let ada =
        server.register_profile(json!({"name": "Ada", "description": "paints", "model": "brush"})).await;
    ada.with_extra_key(&["read"]).await;
    ada.paint(1, 1, 5).await.assert_status(201);
    let preview = format!("agent_id={}&x1=0&y1=0&x2=3&y2=3&from=1&to={}", ada.id, server.head().await);
    let order = json!({"agent_id": ada.id, "from": "1", "reason": "graffiti"});
    let started = operator.post("/api/admin/rollbacks", order).await.assert_status(201);
    wait_for_rollback(operator, id_of(&started), "done").await;
    let message = id_of(&post_text(&ada, "hello").await).to_owned();
    post_text(&ada, "hello again").await;
    ada.paint(2, 2, 5).await.assert_status(201);
    let mut reports = Vec::new();
    let corner = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 3, "reason": "rude"});
    let rude = json!({"reason": "rude"});
    for (path, body) in
        [("/api/canvas/report".to_owned(), corner), (format!("/api/chat/{message}/report"), rude)]
    {
        let filed = server.post(&path, body).await.assert_status(201);
        reports.push(filed["report"]["id"].as_str().unwrap().to_owned());
    }
    let name = server.post(&format!("/api/agents/{}/report", ada.id), json!({"reason": "rude"})).await;
    let name = name.assert_status(201)["report"]["id"].as_str().unwrap().to_owned();
    let decided = operator.post_with_reason(&format!("/api/admin/cases/{name}/decide")).await;
    let plan = open_plan(&ada, json!({"title": "A house", "x": 10, "y": 20, "rows": ["55"]})).await;
    server.create_viewer().await;
    server.create_operator_key("night shift").await;
    server.invite_operator("moderator", "Grace").await;
    server.invite("read_only").await;
    operator.change_setting("registration", json!("approval")).await;
    let newcomer = server.register_agent_from("Newcomer", "203.0.113.5").await;
    operator.post_with_reason(&format!("/api/admin/agents/{}/block-network", newcomer.id)).await;
    let code = json!({"uses": 2, "reason": "for friends"});
    operator.post("/api/admin/invitation-codes", code).await.assert_status(201);
    Subjects {
        message,
        crew: id_of(&found_crew(&ada, "Harbour", "open").await).to_owned(),
        plan: id_of(&plan).to_owned(),
        reports,
        decision: id_of(&decided["decision"]).to_owned(),
        rollback: id_of(&started).to_owned(),
        preview,
        ada,
        newcomer,
    }
}

/// Brings about that each sanction can be lifted, each hidden thing restored, and an appeal decided.
async fn change_all(operator: &OperatorBrowser<'_>, subjects: &Subjects<'_>) {
    let Subjects { ada, message, crew, plan, .. } = subjects;
    operator.post_with_reason(&format!("/api/admin/agents/{}/shadow", ada.id)).await;
    post_text(ada, "seen by its author only").await;
    for path in [
        format!("messages/{message}/hide"),
        format!("crews/{crew}/hide"),
        format!("plans/{plan}/hide"),
        format!("agents/{}/mute", ada.id),
        format!("agents/{}/ban", ada.id),
    ] {
        operator.post_with_reason(&format!("/api/admin/{path}")).await;
    }
    ada.post("/api/appeals", json!({"text": "I am sorry"})).await.assert_status(201);
    operator.post_with_reason("/api/admin/seasons/freeze").await;
}

/// Adds the forms of all pages that the operator may see. Ids are written as `{id}`.
async fn read_forms(operator: &OperatorBrowser<'_>, subjects: &Subjects<'_>, forms: &mut Forms) {
    let form = Regex::new(r#"(?s)<form([^>]*) method="post" action="([^"]+)">(.*?)</form>"#).unwrap();
    let form_id = Regex::new(r#" id="([^"]+)""#).unwrap();
    let field = Regex::new(r#"<(?:input|select|textarea)[^>]* name="([^"]+)""#).unwrap();
    // A field outside of its form names it.
    let outer_field = Regex::new(r#"<input[^>]* form="([^"]+)" name="([^"]+)""#).unwrap();
    let id = Regex::new(r"[a-z]+_[0-9a-f]{32}").unwrap();
    let Subjects { ada, newcomer, reports, decision, rollback, preview, .. } = subjects;
    let pages_of_subjects = [
        format!("/admin/agents/{}", ada.id),
        format!("/admin/agents/{}", newcomer.id),
        format!("/admin/reports/{}", reports[0]),
        format!("/admin/reports/{}?decided={decision}", reports[1]),
        format!("/admin/rollbacks/{rollback}"),
        format!("/admin/rollbacks/preview?{preview}"),
    ];
    for path in PAGES.into_iter().map(str::to_owned).chain(pages_of_subjects) {
        let (status, page) = operator.page(&path).await;
        assert!(status == 200 || page.contains("Your role may not do this"), "{path}: {page}");
        for found in form.captures_iter(&page) {
            let inner_names = field.captures_iter(&found[3]).map(|field| field[1].to_owned());
            let name = form_id.captures(&found[1]).map(|id| id[1].to_owned());
            let outer = outer_field.captures_iter(&page).filter(|field| name.as_deref() == Some(&field[1]));
            let names = inner_names.chain(outer.map(|field| field[2].to_owned()));
            let names = names.filter(|name| name != "csrf" && name != CONFIRMATION);
            forms.entry(id.replace_all(&found[2], "{id}").into_owned()).or_default().extend(names);
        }
    }
}

/// Returns the schema of the body of a POST request.
fn body_schema<'a>(document: &'a Value, path: &str) -> &'a Value {
    let content = &document["paths"][path]["post"]["requestBody"]["content"];
    let reference = content["application/json"]["schema"]["$ref"].as_str();
    let reference = reference.unwrap_or_else(|| panic!("{path} has no body"));
    document.pointer(reference.strip_prefix('#').unwrap()).unwrap()
}

/// Returns the name of a form's field in the body.
fn name_in_body<'a>(action: &str, name: &'a str) -> &'a str {
    let renamed = FIELDS.iter().find(|(form, field, _)| *form == action && *field == name);
    renamed.map_or(name, |(_, _, in_body)| *in_body)
}

#[tokio::test]
async fn forms_have_the_fields_of_the_bodies() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let subjects = make_subjects(&server, &operator).await;
    let mut forms = Forms::new();
    read_forms(&operator, &subjects, &mut forms).await;
    change_all(&operator, &subjects).await;
    read_forms(&operator, &subjects, &mut forms).await;
    assert!(WITHOUT_BODY.iter().all(|action| forms.remove(*action).is_some()), "{forms:?}");
    assert_eq!(forms.len(), BODIES, "{:?}", forms.keys());
    let document = server.get("/openapi.json").await.body;
    for (action, fields) in &forms {
        let moved = PATHS.iter().find(|(form, _)| form == action);
        let path = moved.map_or_else(|| format!("/api{action}"), |(_, path)| (*path).to_owned());
        let schema = body_schema(&document, &path);
        let sent: BTreeSet<&str> = fields.iter().map(|name| name_in_body(action, name)).collect();
        let known: BTreeSet<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let required = schema["required"].as_array().into_iter().flatten();
        let required: BTreeSet<&str> = required.map(|name| name.as_str().unwrap()).collect();
        assert!(sent.is_subset(&known), "{action} sends {sent:?}, but {path} knows {known:?}");
        assert!(required.is_subset(&sent), "{action} sends {sent:?}, but {path} requires {required:?}");
    }
}

/// Returns what an operator needs for the route of a form.
fn find_need(action: &str) -> OperatorNeed {
    let (parent, _) = action.rsplit_once('/').unwrap();
    let by_name = format!("{parent}/{{action}}");
    let find = |path: &str| ROUTES.iter().find(|route| route.path == path && route.verb == Verb::Post);
    find(action).or_else(|| find(&by_name)).unwrap_or_else(|| panic!("no route for {action}")).operator_need()
}

#[tokio::test]
async fn roles_see_the_forms_that_they_may_send() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let owner = server.sign_in_operator().await;
    let subjects = make_subjects(&server, &owner).await;
    let roles = [
        (OperatorRole::ReadOnly, server.invite_operator("read_only", "Alan").await),
        (OperatorRole::Moderator, server.invite_operator("moderator", "Barbara").await),
        (OperatorRole::Operator, server.invite_operator("operator", "Edsger").await),
    ];
    let mut seen_by_owner = Forms::new();
    let mut seen = roles.each_ref().map(|_| Forms::new());
    for is_changed in [false, true] {
        if is_changed {
            change_all(&owner, &subjects).await;
        }
        read_forms(&owner, &subjects, &mut seen_by_owner).await;
        for ((_, browser), forms) in roles.iter().zip(&mut seen) {
            read_forms(browser, &subjects, forms).await;
        }
    }
    for ((role, _), forms) in roles.iter().zip(&seen) {
        for action in seen_by_owner.keys() {
            let is_seen = forms.contains_key(action);
            // The forms of the own account stand beside what is the operator's own.
            if let OperatorNeed::Scope(scope) = find_need(action) {
                assert_eq!(is_seen, role.scopes().contains(scope), "{role:?} at {action}");
            }
        }
    }
}
