//! A client that signs in step by step, so that a test can change each step.

use serde_json::{Value, json};

use super::browser::Browser;
use crate::support::waiting::wait_until;
use crate::support::{Reply, Server, with_form_body};

/// A verifier and its challenge (the example of RFC 7636, appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
pub const REDIRECT_URI: &str = "https://app.example/callback";

/// A registered client.
pub struct Flow<'a> {
    pub server: &'a Server,
    pub client: String,
}

/// The tokens of a client.
#[derive(Clone, Debug)]
pub struct Tokens {
    pub access: String,
    pub refresh: String,
}

/// Registers a client with this metadata.
pub async fn register(server: &Server, metadata: Value) -> Reply {
    server.post("/oauth/register", metadata).await
}

impl<'a> Flow<'a> {
    /// Registers a client.
    pub async fn start(server: &'a Server) -> Self {
        let metadata = json!({"client_name": "Painter", "redirect_uris": [REDIRECT_URI]});
        let reply = register(server, metadata).await.assert_status(201);
        Self { server, client: reply["client_id"].as_str().unwrap().to_owned() }
    }

    /// Returns the parameters of an authorization request.
    pub fn params(&self) -> Vec<(&'static str, String)> {
        vec![
            ("response_type", "code".into()),
            ("client_id", self.client.clone()),
            ("redirect_uri", REDIRECT_URI.into()),
            ("state", "a&b=\"<".into()),
            ("code_challenge", CHALLENGE.into()),
            ("code_challenge_method", "S256".into()),
            ("resource", self.server.url("/mcp")),
            ("scope", "agent".into()),
            ("something_new", "1".into()),
        ]
    }

    /// Returns the URL of an authorization request with another value of a parameter; empty removes it.
    pub fn url_with(&self, name: &str, value: &str) -> String {
        let mut params = self.params();
        params.retain(|(key, _)| *key != name);
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&params);
        if !value.is_empty() {
            query.append_pair(name, value);
        }
        format!("{}?{}", self.server.url("/oauth/authorize"), query.finish())
    }

    pub fn url(&self) -> String {
        self.url_with("something_new", "2")
    }

    /// Lets the client act as the agent with this key, and returns its code.
    pub async fn code(&self, key: &str) -> String {
        let mut browser = Browser::new();
        let page = browser.open(&self.url()).await;
        assert_eq!(page.reply.status, 200, "{}", page.html);
        let done = browser.submit(&page, &[("answer", "use"), ("key", key)]).await;
        assert_eq!(done.reply.status, 303, "{}", done.html);
        done.redirect_param("code")
    }

    /// Sends a form to the token endpoint.
    pub async fn post_token(&self, fields: &[(&str, &str)]) -> Reply {
        Reply::fetch(with_form_body(self.server.post_request("/oauth/token"), fields)).await
    }

    /// Redeems a code, with other values of some fields.
    pub async fn redeem_with(&self, code: &str, changes: &[(&str, &str)]) -> Reply {
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("client_id", &self.client),
            ("redirect_uri", REDIRECT_URI),
            ("code_verifier", VERIFIER),
        ];
        let is_kept = |name: &str| !changes.iter().any(|(changed, _)| *changed == name);
        let kept = fields.into_iter().filter(|(name, _)| is_kept(name));
        let fields: Vec<_> = kept.chain(changes.iter().copied()).collect();
        self.post_token(&fields).await
    }

    /// Signs in as the agent with this key.
    pub async fn sign_in(&self, key: &str) -> Tokens {
        let code = self.code(key).await;
        Tokens::read(&self.redeem_with(&code, &[]).await)
    }

    /// Exchanges a refresh token.
    pub async fn refresh(&self, token: &str) -> Reply {
        let grant = ("grant_type", "refresh_token");
        self.post_token(&[grant, ("refresh_token", token), ("client_id", &self.client)]).await
    }

    /// Calls a tool that needs a key, and returns the status of the response.
    pub async fn status_with(&self, access_token: &str) -> u16 {
        self.server.mcp(Some(access_token)).try_call_tool("my_status", json!({})).await.status
    }

    /// Waits until an access token has this status, as when another instance must learn of a change.
    pub async fn wait_for_status(&self, access_token: &str, status: u16) {
        let is_reached = async || self.status_with(access_token).await == status;
        wait_until(is_reached, "the token keeps its status").await;
    }
}

impl Tokens {
    /// Reads the response of the token endpoint.
    #[track_caller]
    pub fn read(reply: &Reply) -> Self {
        assert_eq!((reply.status, reply.header("cache-control")), (200, "no-store"), "{}", reply.body);
        assert_eq!((&reply.body["token_type"], &reply.body["expires_in"]), (&json!("Bearer"), &json!(900)));
        let text = |name: &str| reply.body[name].as_str().unwrap().to_owned();
        Self { access: text("access_token"), refresh: text("refresh_token") }
    }
}

/// Asserts an error of the standards, with a sentence.
#[track_caller]
pub fn assert_error(reply: &Reply, status: u16, error: &str) {
    assert_eq!((reply.status, &reply.body["error"]), (status, &json!(error)), "{}", reply.body);
    assert!(reply.body["error_description"].as_str().is_some_and(|text| text.len() > 10), "{}", reply.body);
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(reply.header("cache-control"), "no-store");
}
