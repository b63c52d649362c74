//! The open canvas page: what it shows, and waiting until it does.

use serde_json::{Value, json};

use super::chrome::{Chrome, Screen};

/// Words for the questions, in the page's own language.
const WORDS: &str = include_str!("page.js");

/// A page in a Chromium of its own.
pub struct Page {
    pub chrome: Chrome,
}

impl Page {
    /// Opens an address and waits until the page says that it is live.
    pub async fn open(url: &str, screen: Screen) -> Self {
        let page = Self { chrome: Chrome::start(screen).await };
        page.chrome.goto(url).await;
        page.until("live()").await;
        page
    }

    /// Opens any page of the server anew, and waits until everything on it is there.
    pub async fn visit(&self, url: &str) {
        // From elsewhere: an address that differs after the # alone would not load again.
        self.chrome.goto("about:blank").await;
        self.chrome.goto(url).await;
        self.until("!one('#status') || loaded()").await;
    }

    /// Requests for these addresses find no server; for none, all is well again.
    pub async fn cut(&self, addresses: &[&str]) {
        self.chrome.devtools("Network.enable", json!({})).await;
        self.chrome.devtools("Network.setBlockedURLs", json!({"urls": addresses})).await;
    }

    /// The value of an expression.
    pub async fn ask(&self, expression: &str) -> Value {
        self.ask_about(expression, Value::Null).await
    }

    /// The value of an expression in which `given` is this value.
    pub async fn ask_about(&self, expression: &str, given: Value) -> Value {
        let script = format!("{WORDS}\nconst [given] = arguments;\nreturn {expression};");
        self.chrome.run(&script, vec![given]).await
    }

    /// Waits until the page has been laid out and painted as it stands.
    pub async fn settle(&self) {
        let painted =
            "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));";
        self.chrome.run_until_done(painted, vec![]).await.unwrap();
    }

    /// Waits until a condition holds.
    pub async fn until(&self, condition: &str) {
        self.until_with(condition, Value::Null).await;
    }

    /// Waits until a condition holds in which `given` is this value.
    pub async fn until_with(&self, condition: &str, given: Value) {
        let script = format!(
            "{WORDS}\nconst [given, done] = arguments;\n\
             const look = () => {{ if ({condition}) done(true); else setTimeout(look, 30); }};\nlook();"
        );
        if let Err(error) = self.chrome.run_until_done(&script, vec![given]).await {
            let seen = self.ask("document.body.innerText").await;
            panic!(
                "never came true: {condition} ({error}); the page says:\n{}",
                seen.as_str().unwrap_or_default()
            );
        }
    }
}
