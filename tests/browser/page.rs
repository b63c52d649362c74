//! The open canvas page and its state.

use serde_json::{Value, json};

use super::chrome::{Chrome, Screen};

/// Helper functions for scripts in the page.
const HELPERS: &str = include_str!("page.js");

/// A page in a Chromium of its own.
pub struct Page {
    pub chrome: Chrome,
}

impl Page {
    /// Opens an address and waits until the page is live.
    pub async fn open(url: &str, screen: Screen) -> Self {
        let page = Self { chrome: Chrome::start(screen).await };
        page.chrome.goto(url).await;
        page.wait_until("live()").await;
        page
    }

    /// Loads a page of the server and waits until it is complete.
    pub async fn visit(&self, url: &str) {
        // Via a blank page, because an address that differs only after the # would not load again.
        self.chrome.goto("about:blank").await;
        self.chrome.goto(url).await;
        self.wait_until("!one('#status') || loaded()").await;
    }

    /// Blocks requests to these addresses; an empty list unblocks all.
    pub async fn block_urls(&self, urls: &[&str]) {
        self.chrome.devtools("Network.enable", json!({})).await;
        self.chrome.devtools("Network.setBlockedURLs", json!({"urls": urls})).await;
    }

    /// Makes documents that are opened from now on request what they show, as if the server had not read it
    /// in time.
    pub async fn ignore_first_view(&self) {
        let source = "new MutationObserver(() => document.getElementById('first-view')?.remove()).observe(document, { subtree: true, childList: true })";
        self.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})).await;
    }

    /// Returns the value of an expression.
    pub async fn evaluate(&self, expression: &str) -> Value {
        self.evaluate_with(expression, Value::Null).await
    }

    /// Returns the value of an expression in which `given` is this value.
    pub async fn evaluate_with(&self, expression: &str, given: Value) -> Value {
        let script = format!("{HELPERS}\nconst [given] = arguments;\nreturn {expression};");
        self.chrome.run(&script, vec![given]).await
    }

    /// Returns the value of an expression through the protocol, which works even if the scripts of pages are
    /// disabled.
    pub async fn evaluate_without_scripts(&self, expression: &str) -> Value {
        let script = format!("(() => {{\n{HELPERS}\nreturn {expression};\n}})()");
        let parameters = json!({"expression": script, "returnByValue": true});
        let mut answer = self.chrome.devtools("Runtime.evaluate", parameters).await;
        assert!(answer["exceptionDetails"].is_null(), "{answer}");
        answer["result"]["value"].take()
    }

    /// Waits until the page has been laid out and painted.
    pub async fn wait_for_paint(&self) {
        let script =
            "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));";
        self.chrome.run_async(script, vec![]).await.unwrap();
    }

    /// Clicks an element and waits until a condition is true. One script does both, so that it sees even a
    /// state that lasts for a moment only.
    pub async fn click_and_wait_until(&self, selector: &str, condition: &str) {
        let click = "(given.isClicked ||= (one(given.selector).click(), true))";
        self.wait_until_with(&format!("{click} && ({condition})"), json!({"selector": selector})).await;
    }

    /// Waits until a condition is true.
    pub async fn wait_until(&self, condition: &str) {
        self.wait_until_with(condition, Value::Null).await;
    }

    /// Waits until a condition is true in which `given` is this value.
    pub async fn wait_until_with(&self, condition: &str, given: Value) {
        let script = format!(
            "{HELPERS}\nconst [given, done] = arguments;\n\
             const look = () => {{ if ({condition}) done(true); else setTimeout(look, 30); }};\nlook();"
        );
        if let Err(error) = self.chrome.run_async(&script, vec![given.clone()]).await {
            // A script that began on the page before the present one was left behind with it.
            let is_true = self.evaluate_with(&format!("Boolean({condition})"), given).await;
            if is_true == true {
                return;
            }
            let page_text = self.evaluate("document.body.innerText").await;
            panic!(
                "never came true: {condition} ({error}); the page says:\n{}",
                page_text.as_str().unwrap_or_default()
            );
        }
    }
}
