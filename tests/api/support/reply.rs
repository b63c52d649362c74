//! A complete response.

use reqwest::RequestBuilder;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// Status, headers and body. The body is null if it is not JSON.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
    pub body: Value,
}

impl Reply {
    pub async fn fetch(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.unwrap().to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Self { status, headers, bytes, body }
    }

    /// Returns the body without what is told of unread things, which is not stored and may change at any
    /// time.
    pub fn body_without_attention(&self) -> Value {
        let mut body = self.body.clone();
        for added in ["unread", "waiting"] {
            body.as_object_mut().unwrap().remove(added);
        }
        body
    }

    /// Returns the code of a refusal; empty for other responses.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Asserts a refusal with this status and code, in the common form.
    #[track_caller]
    pub fn assert_refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.body);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["type"], format!("/errors#{code}"));
        assert!(
            self.body["title"].is_string()
                && self.body["detail"].is_string()
                && self.body["hint"].is_string()
        );
        if status == 429 || status == 503 {
            assert!(self.header("retry-after").parse::<u64>().unwrap() >= 1);
        }
    }
}
