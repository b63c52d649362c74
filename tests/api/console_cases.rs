//! Cases are decided on one page with few clicks, whose number is counted from the start page of the console.

use regex::Regex;
use serde_json::{Value, json};

use crate::support::actions::{FREE_CONSOLE_SETTINGS, place, post_text};
use crate::support::values::id_of;
use crate::support::waiting::{wait_for_rollback, wait_until};
use crate::support::{Agent, OperatorBrowser, Reply, Server};

/// The most clicks for a usual case.
const MAX_CLICKS: usize = 6;

/// An operator who clicks through the pages as a browser without scripts would. Nothing is typed.
struct Clicker<'a> {
    operator: &'a OperatorBrowser<'a>,
    /// The text of the page.
    page: String,
    /// The fields of the page's form for decisions, as they are sent.
    fields: Vec<(String, String)>,
    clicks: usize,
}

impl<'a> Clicker<'a> {
    /// Opens the start page.
    async fn start(operator: &'a OperatorBrowser<'a>) -> Self {
        let mut clicker = Self { operator, page: String::new(), fields: Vec::new(), clicks: 0 };
        clicker.load("/admin").await;
        clicker
    }

    async fn load(&mut self, path: &str) {
        let (status, page) = self.operator.page(path).await;
        assert_eq!(status, 200, "{path}: {page}");
        self.fields = filled_in(&page);
        self.page = page;
    }

    /// Follows the first link whose address begins like this.
    async fn follow(&mut self, start: &str) {
        let (_, rest) = self.page.split_once(&format!("href=\"{start}")).unwrap_or_else(|| panic!("{start}"));
        let path = format!("{start}{}", rest.split('"').next().unwrap());
        self.clicks += 1;
        self.load(&path).await;
    }

    /// Ticks a box that is not ticked.
    fn tick(&mut self, name: &str) {
        let input =
            Regex::new(&format!("<input type=\"checkbox\" name=\"{name}\" value=\"([^\"]+)\">")).unwrap();
        let value =
            input.captures(&self.page).unwrap_or_else(|| panic!("{name} in {}", self.page))[1].to_owned();
        self.fields.push((name.to_owned(), value));
        self.clicks += 1;
    }

    /// Opens a list and chooses an entry.
    fn choose(&mut self, name: &str, value: &str) {
        assert!(self.page.contains(&format!("<option value=\"{value}\">")), "{value} in {}", self.page);
        self.fields.retain(|(field, _)| field != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self.clicks += 2;
    }

    /// Chooses a painter that is not chosen.
    fn choose_painter(&mut self, agent: &Agent<'_>) {
        let input = format!("<input type=\"radio\" name=\"agent_id\" value=\"{}\"", agent.id);
        assert!(self.page.contains(&input), "{input} in {}", self.page);
        self.fields.push(("agent_id".to_owned(), agent.id.clone()));
        self.clicks += 1;
    }

    /// Returns the path of the form for decisions.
    fn decision_path(&self) -> String {
        let action = Regex::new("action=\"(/admin/reports/[^\"]+/decide)\"").unwrap();
        action.captures(&self.page).unwrap()[1].to_owned()
    }

    /// Presses the button that decides.
    async fn press_decide(&mut self) -> Reply {
        assert!(self.page.contains("<button name=\"outcome\" value=\"upheld\">"), "{}", self.page);
        let fields: Vec<(&str, &str)> =
            self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let fields = [&fields[..], &[("outcome", "upheld")]].concat();
        self.clicks += 1;
        self.operator.submit(&self.decision_path(), &fields).await
    }

    /// Presses the button that decides, and follows the redirect.
    async fn decide(&mut self) {
        let reply = self.press_decide().await;
        assert_eq!(reply.status, 303, "{}", reply.body);
        self.load(reply.header("location")).await;
    }

    /// Returns the path of the form that undoes the decision that was just made.
    fn undo_path(&self) -> String {
        let action = Regex::new("action=\"(/admin/decisions/[^\"]+/undo)\"").unwrap();
        action.captures(&self.page).unwrap()[1].to_owned()
    }
}

/// Returns an attribute of a tag; `None` if it has none.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let pattern = Regex::new(&format!("(?:^| ){name}=\"([^\"]*)\"")).unwrap();
    pattern.captures(tag).map(|found| found[1].to_owned())
}

/// Returns the fields of the form for decisions that a browser sends if nothing is changed.
fn filled_in(page: &str) -> Vec<(String, String)> {
    let Some((_, form)) = page.split_once("id=\"decide\"") else { return Vec::new() };
    let form = form.split("</form>").next().unwrap();
    let input = Regex::new("<input ([^>]*)>").unwrap();
    let mut fields = Vec::new();
    for found in input.captures_iter(form) {
        let text = &found[1];
        let kind = attribute(text, "type").unwrap_or_default();
        let is_sent = !["checkbox", "radio"].contains(&kind.as_str()) || text.ends_with(" checked");
        let name = attribute(text, "name").unwrap();
        if is_sent && name != "csrf" {
            fields.push((name, attribute(text, "value").unwrap_or_default()));
        }
    }
    let select = Regex::new("<select [^>]*name=\"([^\"]+)\"><option value=\"([^\"]*)\"").unwrap();
    fields.extend(select.captures_iter(form).map(|found| (found[1].to_owned(), found[2].to_owned())));
    fields
}

/// Two messages of one author, with the case of a report on each.
struct SpamCases {
    messages: Vec<Value>,
    cases: Vec<String>,
}

impl SpamCases {
    async fn file(reporter: &Agent<'_>, author: &Agent<'_>) -> Self {
        let mut spam = Self { messages: Vec::new(), cases: Vec::new() };
        for text in ["buy this", "buy that"] {
            let message = post_text(author, text).await;
            let path = format!("/api/chat/{}/report", id_of(&message));
            let filed = reporter.post(&path, json!({"reason": "spam"})).await.assert_status(201);
            spam.cases.push(id_of(&filed["report"]).to_owned());
            spam.messages.push(message["id"].clone());
        }
        spam
    }

    /// Decides the first case by hiding both messages, which closes the second case, too. Returns the
    /// decision.
    async fn decide(&self, operator: &OperatorBrowser<'_>) -> Value {
        let path = format!("/api/admin/cases/{}/decide", self.cases[0]);
        let body = json!({"hide": self.messages, "reason": "spam"});
        operator.post(&path, body).await.assert_status(200)["decision"].clone()
    }
}

/// Returns the path of the form that undoes a decision.
fn undo_action(decision: &Value) -> String {
    format!("/admin/decisions/{}/undo", id_of(decision))
}

#[tokio::test]
async fn a_vandal_is_undone_and_banned_in_six_clicks_without_typing() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    place(&ada, &[(0, 0, 3), (1, 0, 3)]).await;
    place(&eve, &[(0, 0, 5), (1, 0, 5), (2, 0, 5)]).await;
    place(&ada, &[(3, 0, 7)]).await;
    let report = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 3, "reason": "painted over"});
    bob.post("/api/canvas/report", report).await.assert_status(201);
    let mut clicker = Clicker::start(&operator).await;
    clicker.follow("/admin/reports").await;
    clicker.follow("/admin/reports/report_").await;
    for part in [
        "<bdi class=\"foreign\">Eve</bdi>: 3 pixels",
        "Before <bdi class=\"foreign\">Eve</bdi>",
        "painted over",
        "value=\"An operator has reviewed a report of a canvas.\"",
    ] {
        assert!(clicker.page.contains(part), "{part} in {}", clicker.page);
    }
    let picture = Regex::new("src=\"(/api/canvas/visual[^\"]+)\"").unwrap();
    let pictures: Vec<String> =
        picture.captures_iter(&clicker.page).map(|found| found[1].replace("&amp;", "&")).collect();
    let mut shown = Vec::new();
    for address in &pictures {
        shown.push(operator.get(address).await.decode_png());
    }
    assert!(shown.len() == 2 && shown[0] != shown[1], "before, and when it was reported");
    clicker.tick("rollback");
    clicker.choose("sanction", "ban");
    clicker.decide().await;
    assert!(clicker.clicks <= MAX_CLICKS, "{}", clicker.clicks);
    assert!(clicker.page.contains("No reports.") && clicker.page.contains("Decided"), "{}", clicker.page);
    let rollbacks = operator.get("/api/admin/rollbacks").await.body["rollbacks"].clone();
    wait_for_rollback(&operator, id_of(&rollbacks[0]), "done").await;
    assert_eq!(server.get("/api/pixel?x=0&y=0").await.body["agent_name"], "Ada");
    assert_eq!(server.get("/api/pixel?x=3&y=0").await.body["color"], 7);
    let refused = eve.paint(5, 5, 1).await;
    refused.assert_refused(403, "banned");
    let reason = "An operator has reviewed a report of a canvas.";
    assert_eq!(refused.body["reason"], reason, "without the words of those who reported");
    let undone = operator.submit(&clicker.undo_path(), &[("reason", "Decided by mistake.")]).await;
    assert_eq!(undone.status, 303, "{}", undone.body);
    let (_, page) = operator.page(undone.header("location")).await;
    assert!(page.contains("The decision is undone.") && page.contains("id=\"decide\""), "{page}");
    let is_back = async || server.get("/api/pixel?x=0&y=0").await.body["agent_name"] == "Eve";
    wait_until(is_back, "the rollback is not undone").await;
}

#[tokio::test]
async fn the_painter_is_asked_for_if_the_author_may_be_the_victim() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    place(&ada, &[(0, 0, 3), (1, 0, 3), (2, 0, 3), (0, 1, 3)]).await;
    place(&eve, &[(2, 0, 5), (3, 0, 5)]).await;
    let report = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 3, "reason": "painted over"});
    let filed = bob.post("/api/canvas/report", report).await.assert_status(201);
    let id = id_of(&filed["report"]);
    let case = operator.get(&format!("/api/admin/reports/{id}")).await.body;
    assert_eq!(case["author_id"], ada.id, "three pixels of five");
    let mut clicker = Clicker::start(&operator).await;
    clicker.follow("/admin/reports").await;
    clicker.follow("/admin/reports/report_").await;
    assert!(clicker.page.contains("It is not clear whose pixels the report is about"), "{}", clicker.page);
    assert!(clicker.fields.iter().all(|(name, _)| name != "agent_id"), "{:?}", clicker.fields);
    clicker.choose("sanction", "ban");
    clicker.press_decide().await.assert_refused(400, "invalid_field");
    assert_eq!(ada.paint(5, 5, 1).await.status, 201);
    clicker.choose_painter(&eve);
    clicker.decide().await;
    assert!(clicker.page.contains("Decided"), "{}", clicker.page);
    eve.paint(6, 6, 1).await.assert_refused(403, "banned");
    assert_eq!(ada.paint(7, 7, 1).await.status, 201);
}

#[tokio::test]
async fn a_spammer_with_six_messages_takes_six_clicks_and_leads_to_the_next_case() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let rude = post_text(&ada, "a rude word").await;
    let mut messages = Vec::new();
    for number in 0..6 {
        messages.push(post_text(&eve, &format!("buy number {number}")).await);
    }
    for message in [&rude, &messages[2]] {
        let path = format!("/api/chat/{}/report", id_of(message));
        bob.post(&path, json!({"reason": "spam"})).await.assert_status(201);
    }
    let mut clicker = Clicker::start(&operator).await;
    clicker.follow("/admin/reports").await;
    clicker.follow("/admin/reports/report_").await;
    let ticked = clicker.fields.iter().filter(|(name, _)| name == "hide").map(|(_, value)| value.as_str());
    assert_eq!(ticked.collect::<Vec<_>>(), [id_of(&messages[2])], "the reported one");
    clicker.tick("hide_others");
    clicker.choose("sanction", "mute_week");
    clicker.decide().await;
    assert!(clicker.clicks <= MAX_CLICKS, "{}", clicker.clicks);
    assert!(clicker.page.contains("Decided") && clicker.page.contains("a rude word"), "{}", clicker.page);
    let chat = server.get("/api/chat").await.body["messages"].clone();
    assert_eq!((chat.as_array().unwrap().len(), &chat[0]["id"]), (1, &rude["id"]));
    eve.post_message("more").await.assert_refused(403, "muted");
}

#[tokio::test]
async fn a_page_says_that_its_decision_can_no_longer_be_undone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let spam = SpamCases::file(&bob, &eve).await;
    let undone = spam.decide(&operator).await;
    let reply = operator.submit(&undo_action(&undone), &[("reason", "Decided by mistake.")]).await;
    assert_eq!(reply.status, 303, "{}", reply.body);
    let old = spam.decide(&operator).await;
    server.advance_clock(601);
    for (decision, sentence) in
        [(&undone, "there is nothing left to undo"), (&old, "It can no longer be undone as a whole")]
    {
        for path in ["/admin/reports".to_owned(), format!("/admin/reports/{}", spam.cases[0])] {
            let (_, page) = operator.page(&format!("{path}?decided={}", id_of(decision))).await;
            assert!(page.contains(sentence) && !page.contains("/undo\""), "{page}");
        }
    }
}

#[tokio::test]
async fn the_page_of_a_decided_case_offers_its_undo_for_ten_minutes() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let spam = SpamCases::file(&bob, &eve).await;
    let path = format!("/admin/reports/{}", spam.cases[0]);
    let first = spam.decide(&operator).await;
    let named = format!("{path}?decided={}", id_of(&first));
    for path in [&path, &format!("/admin/reports/{}", spam.cases[1]), &named] {
        let (_, page) = operator.page(path).await;
        assert_eq!(page.matches(&undo_action(&first)).count(), 1, "{page}");
        assert!(page.contains("All of it can be undone until <time"), "{page}");
    }
    let reply = operator.submit(&undo_action(&first), &[("reason", "Decided by mistake.")]).await;
    assert_eq!(reply.status, 303, "{}", reply.body);
    let (_, page) = operator.page(&path).await;
    assert!(!page.contains("/undo\"") && page.contains("id=\"decide\""), "{page}");
    let second = spam.decide(&operator).await;
    let (_, page) = operator.page(&named).await;
    assert!(page.contains("there is nothing left to undo"), "{page}");
    assert!(page.contains(&undo_action(&second)) && !page.contains(&undo_action(&first)), "{page}");
    server.advance_clock(601);
    let (_, page) = operator.page(&path).await;
    assert!(!page.contains("/undo\"") && !page.contains("id=\"decide\""), "{page}");
}
