//! Actions of viewers on the page and by API: replying, reacting, reading their inbox, and being notified.

mod devices;
pub mod mail;
mod mail_hangs;
mod push;
mod push_service;
mod talk;
mod unsubscribe;
mod whispers;

use serde_json::{Value, json};

use crate::gallery::viewer_browser::ViewerBrowser;
use crate::support::actions::FREE_SETTINGS;
use crate::support::{Agent, PASSWORD, Reply, Server};

/// Returns settings without intervals and prices, and others.
fn free_settings_with<'a>(settings: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let own = [("CARAPLACE_VIEWER_MESSAGE_SECONDS", "0"), ("CARAPLACE_ADMIN_PASSWORD", PASSWORD)];
    [&FREE_SETTINGS[..], &own, settings].concat()
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// A server with an operator, who grants passes.
struct Lounge {
    server: Server,
    operator: String,
}

impl Lounge {
    async fn open(settings: &[(&str, &str)]) -> Self {
        let server = Server::start_with(&free_settings_with(settings)).await;
        let operator = server.create_operator_key("lounge").await;
        Self { server, operator }
    }

    /// Carries out an operator's action, which must succeed.
    async fn operate(&self, path: &str, body: Value) -> Value {
        let reply =
            Reply::fetch(self.server.post_request(path).bearer_auth(&self.operator).json(&body)).await;
        assert!([200, 201].contains(&reply.status), "{path}: {}", reply.body);
        reply.body
    }

    /// Returns a viewer with this pass.
    async fn grant_pass(&self, pass: Value) -> Agent<'_> {
        let granted = self.operate("/api/admin/passes", pass).await;
        let [id, key] = ["viewer_id", "api_key"].map(|field| granted[field].as_str().unwrap().to_owned());
        Agent { server: &self.server, id, key }
    }

    /// Returns a viewer with a pass, this name, and a mail address that begins with it.
    async fn viewer(&self, name: &str) -> Agent<'_> {
        let pass = json!({"email": format!("{}@example.com", name.to_lowercase()), "reason": "test"});
        let viewer = self.grant_pass(pass).await;
        viewer.post("/api/viewers/me/name", json!({"name": name})).await.assert_status(200);
        viewer
    }

    /// Returns a viewer who gets mails.
    async fn mailed_viewer(&self, name: &str) -> Agent<'_> {
        let viewer = self.viewer(name).await;
        assert_eq!(set_mail(&viewer, true).await["notifications"]["mail"], true);
        viewer
    }

    /// Returns a browser in which the viewer is signed in.
    async fn browser(&self, viewer: &Agent<'_>) -> ViewerBrowser<'_> {
        let mut browser = ViewerBrowser::new(&self.server);
        browser.submit("/gallery/sign-in", &[("key", &viewer.key)]).await;
        assert!(browser.session().is_some());
        browser
    }
}

async fn set_mail(viewer: &Agent<'_>, is_wanted: bool) -> Value {
    viewer.post("/api/viewers/me/notifications", json!({"mail": is_wanted})).await.assert_status(200)
}

/// Posts a message, or a reply, which must succeed. Returns it.
async fn say(sender: &Agent<'_>, content: &str, reply_to: Option<&Value>) -> Value {
    let body = match reply_to {
        Some(message) => json!({"content": content, "reply_to": message["id"]}),
        None => json!({"content": content}),
    };
    sender.post("/api/chat", body).await.assert_status(201)["message"].clone()
}

async fn react(sender: &Agent<'_>, message: &Value, emoji: &str) -> Reply {
    sender.post("/api/chat", json!({"type": "reaction", "reply_to": message["id"], "content": emoji})).await
}

async fn me(viewer: &Agent<'_>) -> Value {
    viewer.get("/api/viewers/me").await.assert_status(200)
}
