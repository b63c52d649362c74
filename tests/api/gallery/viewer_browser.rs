//! A person's browser: stores cookies, loads pages, and sends their forms.

use std::collections::BTreeMap;

use regex::Regex;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::{Reply, Server, with_form_body};

pub struct ViewerBrowser<'a> {
    pub server: &'a Server,
    client: Client,
    pub cookies: BTreeMap<String, String>,
    /// The key that a page has shown.
    pub key: Option<String>,
    /// The address that a trusted proxy sends.
    pub forwarded_for: Option<String>,
}

impl<'a> ViewerBrowser<'a> {
    pub fn new(server: &'a Server) -> Self {
        let client = https_client::builder().unwrap().redirect(Policy::none()).build().unwrap();
        Self { server, client, cookies: BTreeMap::new(), key: None, forwarded_for: None }
    }

    /// Returns the session cookie.
    pub fn session(&self) -> Option<&str> {
        self.cookies.get("caraplace_viewer").map(String::as_str)
    }

    pub fn with_browser_headers(&self, request: RequestBuilder) -> RequestBuilder {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = request.header("Accept", "text/html,*/*;q=0.8");
        let request =
            self.forwarded_for.iter().fold(request, |request, from| request.header("X-Forwarded-For", from));
        if cookies.is_empty() { request } else { request.header("Cookie", cookies.join("; ")) }
    }

    /// Returns a request with the headers of the browser.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.with_browser_headers(self.client.request(method, self.server.url(path)))
    }

    /// Sends a request as the script of the page does.
    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Reply {
        Reply::fetch(self.request(method, path).header("Sec-Fetch-Site", "same-origin").json(body)).await
    }

    pub async fn get(&mut self, path: &str) -> Reply {
        let reply = Reply::fetch(self.request(Method::GET, path)).await;
        self.store_cookies(&reply);
        reply
    }

    /// Loads the pass page. Returns the CSRF token of its forms.
    pub async fn fetch_form_token(&mut self) -> String {
        let page = self.get("/gallery").await;
        assert_eq!(page.status, 200, "{}", page.text());
        find_match(page.text(), r#"name="token" value="([0-9a-f]{64})""#).unwrap()
    }

    /// Returns the request of a form of our page.
    pub fn form_request(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let request = self.request(Method::POST, path).header("Origin", self.server.url(""));
        with_form_body(request.header("Sec-Fetch-Site", "same-origin"), fields)
    }

    /// Loads the page, fills a form in and sends it.
    pub async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let token = self.fetch_form_token().await;
        let fields = [fields, &[("token", token.as_str())]].concat();
        let reply = Reply::fetch(self.form_request(path, &fields)).await;
        self.store_cookies(&reply);
        reply
    }

    /// Presses the button to buy a pass. Returns the id of the Checkout Session.
    pub async fn begin_checkout(&mut self, tier: &str) -> String {
        let reply = self.submit("/gallery/checkout", &[("tier", tier)]).await;
        assert_eq!(reply.status, 303, "{}", reply.text());
        reply.header("location").rsplit('/').next().unwrap().to_owned()
    }

    /// Follows Stripe's redirect back to the server.
    pub async fn return_from_checkout(&mut self, checkout: &str) -> Reply {
        let reply = self.get(&format!("/gallery/welcome?session_id={checkout}")).await;
        self.key = find_shown_key(&reply).or(self.key.take());
        reply
    }

    /// Returns the request of a message from the page.
    pub fn message_request(&self, content: &str) -> RequestBuilder {
        self.request(Method::POST, "/api/chat").json(&json!({"content": content}))
    }

    pub async fn post_message(&self, content: &str) -> Reply {
        Reply::fetch(self.message_request(content).header("Sec-Fetch-Site", "same-origin")).await
    }

    pub async fn me(&self) -> Reply {
        Reply::fetch(self.request(Method::GET, "/api/viewers/me")).await
    }

    /// Returns the viewer's id.
    pub async fn viewer_id(&self) -> String {
        self.me().await.assert_status(200)["viewer"]["id"].as_str().unwrap().to_owned()
    }

    /// Returns true if the viewer has a pass with which it may post messages.
    pub async fn may_speak(&self) -> bool {
        self.me().await.assert_status(200)["may_speak"].as_bool().unwrap()
    }

    pub fn store_cookies(&mut self, reply: &Reply) {
        for line in reply.headers.get_all("set-cookie") {
            let pair = line.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

/// Returns the key that a page shows.
pub fn find_shown_key(reply: &Reply) -> Option<String> {
    find_match(reply.text(), "(gp_[0-9a-f]{64})")
}

pub fn find_match(text: &str, pattern: &str) -> Option<String> {
    Some(Regex::new(pattern).unwrap().captures(text)?[1].to_owned())
}
