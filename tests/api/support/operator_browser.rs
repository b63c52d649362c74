//! An operator's browser, signed in to the console.

use caraplace_accounts::operators::sessions;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use super::actions::CONSOLE_SETTINGS;
use super::{Agent, Reply, Server};

/// The password of an enabled console.
pub const PASSWORD: &str = "the gallery opens at nine";
/// The password of invited operators.
pub const INVITED_PASSWORD: &str = "the gallery closes at six";
const HTML_MEDIA_TYPE: &str = "text/html";

/// A browser that stores its cookies, with the address that its requests come from.
pub struct OperatorBrowser<'a> {
    pub server: &'a Server,
    client: Client,
    pub address: String,
    /// The Cookie header.
    pub cookies: String,
    /// The CSRF token of forms and changes after the sign-in.
    pub csrf: String,
}

impl Server {
    /// Starts a server with the console enabled.
    pub async fn start_with_console() -> Self {
        Self::start_with(&CONSOLE_SETTINGS).await
    }

    /// Returns a browser at this address that is not signed in.
    pub fn browser(&self, address: &str) -> OperatorBrowser<'_> {
        let client = https_client::builder().unwrap().redirect(Policy::none()).build().unwrap();
        let (cookies, csrf) = Default::default();
        OperatorBrowser { server: self, client, address: address.to_owned(), cookies, csrf }
    }

    /// Returns a browser of an operator who is signed in.
    pub async fn sign_in_operator(&self) -> OperatorBrowser<'_> {
        let mut browser = self.browser("192.0.2.77");
        let reply = browser.sign_in(PASSWORD).await;
        assert_eq!(reply.status, 303, "{}", String::from_utf8_lossy(&reply.bytes));
        browser.load_csrf_token().await;
        browser
    }

    /// Returns the path of a new invitation.
    pub async fn invite(&self, role: &str) -> String {
        let owner = self.sign_in_operator().await;
        let reply = owner.post("/api/admin/operators/invitations", json!({"role": role})).await;
        let link = reply.assert_status(201)["link"].as_str().unwrap().to_owned();
        link.split_once("/admin/").map(|(_, path)| format!("/admin/{path}")).unwrap()
    }

    /// Returns the browser of a new operator, who has accepted an invitation.
    pub async fn invite_operator(&self, role: &str, name: &str) -> OperatorBrowser<'_> {
        let path = self.invite(role).await;
        let mut browser = self.browser("192.0.2.78");
        let reply = browser.accept(&path, name).await;
        assert_eq!(reply.status, 303, "{}", String::from_utf8_lossy(&reply.bytes));
        browser.load_csrf_token().await;
        browser
    }

    /// Creates an operator key for a program.
    pub async fn create_operator_key(&self, name: &str) -> String {
        let reply = self.sign_in_operator().await.post("/api/admin/keys", json!({"name": name})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.body["api_key"].as_str().unwrap().to_owned()
    }

    /// Returns a viewer with a pass, whom an operator has made.
    pub async fn create_viewer(&self) -> Agent<'_> {
        let granted =
            self.sign_in_operator().await.post("/api/admin/passes", json!({"reason": "test"})).await;
        assert_eq!(granted.status, 201, "{}", granted.body);
        let [id, key] =
            ["viewer_id", "api_key"].map(|field| granted.body[field].as_str().unwrap().to_owned());
        Agent { server: self, id, key }
    }
}

impl OperatorBrowser<'_> {
    /// Adds the browser's address and cookies to a request.
    pub fn with_browser_headers(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header("X-Forwarded-For", &self.address);
        if self.cookies.is_empty() { request } else { request.header("Cookie", &self.cookies) }
    }

    pub fn get_request(&self, path: &str) -> RequestBuilder {
        self.with_browser_headers(self.client.get(self.server.url(path)))
    }

    /// Returns a request with cookies, without CSRF token and `Origin`.
    pub fn post_request(&self, path: &str) -> RequestBuilder {
        self.with_browser_headers(self.client.post(self.server.url(path)))
    }

    pub async fn get(&self, path: &str) -> Reply {
        Reply::fetch(self.get_request(path)).await
    }

    /// Loads a page. Returns its status and text.
    pub async fn page(&self, path: &str) -> (u16, String) {
        let reply = Reply::fetch(self.get_request(path).header("Accept", HTML_MEDIA_TYPE)).await;
        (reply.status, String::from_utf8(reply.bytes).unwrap())
    }

    /// Sends a change as the console's script does.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        Reply::fetch(self.post_request(path).header("X-CSRF-Token", &self.csrf).json(&body)).await
    }

    /// Sends a form of the console.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", self.csrf.as_str())]).collect();
        Reply::fetch(with_form_body(self.post_request(path), &fields)).await
    }

    /// Loads the sign-in form and sends it.
    pub async fn sign_in(&mut self, password: &str) -> Reply {
        self.sign_in_to(password, "/admin").await
    }

    pub async fn sign_in_to(&mut self, password: &str, next: &str) -> Reply {
        let csrf = self.fetch_csrf_token().await;
        let fields = [("csrf", csrf.as_str()), ("password", password), ("next", next)];
        let reply = Reply::fetch(with_form_body(self.post_request("/admin/sign-in"), &fields)).await;
        self.store_cookies(&reply);
        reply
    }

    /// Loads the sign-in form, and sends it with these fields.
    pub async fn sign_in_with(&mut self, fields: &[(&str, &str)]) -> Reply {
        let csrf = self.fetch_csrf_token().await;
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", csrf.as_str())]).collect();
        let reply = Reply::fetch(with_form_body(self.post_request("/admin/sign-in"), &fields)).await;
        self.store_cookies(&reply);
        reply
    }

    /// Accepts an invitation with this name.
    pub async fn accept(&mut self, path: &str, name: &str) -> Reply {
        let fields = [("name", name), ("password", INVITED_PASSWORD), ("repeated", INVITED_PASSWORD)];
        let reply = Reply::fetch(with_form_body(self.post_request(path), &fields)).await;
        self.store_cookies(&reply);
        reply
    }

    /// Reads the CSRF token of the session.
    pub async fn load_csrf_token(&mut self) {
        let session = self.get("/api/admin/session").await.body;
        session["csrf"].as_str().unwrap().clone_into(&mut self.csrf);
    }

    /// Sends the sign-in form without loading it.
    pub async fn sign_in_without_form(&self, password: &str) -> Reply {
        let token = "a".repeat(64);
        let csrf = sessions::csrf_token(&token);
        let fields = [("csrf", csrf.as_str()), ("password", password)];
        let request =
            self.post_request("/admin/sign-in").header("Cookie", format!("caraplace-sign-in={token}"));
        Reply::fetch(with_form_body(request, &fields)).await
    }

    /// Signs in again, in addition to the current session.
    pub async fn sign_in_again(&mut self, password: &str) -> Reply {
        let signed_in = std::mem::take(&mut self.cookies);
        let csrf = self.fetch_csrf_token().await;
        self.cookies = format!("{signed_in}; {}", self.cookies);
        let fields = [("csrf", csrf.as_str()), ("password", password)];
        let reply = Reply::fetch(with_form_body(self.post_request("/admin/sign-in"), &fields)).await;
        self.store_cookies(&reply);
        reply
    }

    /// Loads the sign-in form. Returns the value of its hidden field.
    pub async fn fetch_csrf_token(&mut self) -> String {
        let reply = self.get("/admin/sign-in").await;
        self.store_cookies(&reply);
        let page = String::from_utf8(reply.bytes).unwrap();
        let (_, rest) = page.split_once("name=\"csrf\" value=\"").unwrap_or(("", ""));
        rest.split('"').next().unwrap().to_owned()
    }

    /// Stores the cookies of a response; an empty value removes a cookie.
    fn store_cookies(&mut self, reply: &Reply) {
        for line in reply.headers.get_all("set-cookie") {
            let pair = line.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            let others = self
                .cookies
                .split("; ")
                .filter(|other| !other.is_empty() && !other.starts_with(&format!("{name}=")));
            let mut cookies: Vec<_> = others.map(str::to_owned).collect();
            if !value.is_empty() {
                cookies.push(pair.to_owned());
            }
            self.cookies = cookies.join("; ");
        }
    }
}

/// Adds the fields as the body of a form.
pub fn with_form_body(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let encode = |text: &str| {
        let byte = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => (byte as char).to_string(),
            other => format!("%{other:02X}"),
        };
        text.bytes().map(byte).collect::<String>()
    };
    let body = fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    let body = body.collect::<Vec<_>>().join("&");
    request.header("Content-Type", "application/x-www-form-urlencoded").body(body)
}
