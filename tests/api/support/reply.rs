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

    /// Returns the body as a text.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.bytes).unwrap()
    }

    /// Asserts that the response is a PNG. Returns its width, height and colours.
    #[track_caller]
    pub fn decode_png(&self) -> (u32, u32, Vec<[u8; 3]>) {
        assert_eq!((self.status, self.header("content-type")), (200, "image/png"), "{}", self.body);
        let mut decoder = png::Decoder::new(std::io::Cursor::new(self.bytes.as_slice()));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut image = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut image).unwrap();
        (info.width, info.height, image.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
    }

    /// Returns the code of a refusal; empty for other responses.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Asserts this status. Returns the body.
    #[track_caller]
    pub fn assert_status(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
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

    /// Asserts a refusal with this status and code that names this field.
    #[track_caller]
    pub fn assert_field_refused(&self, status: u16, code: &str, field: &str) {
        self.assert_refused(status, code);
        assert_eq!(self.body["field"], field, "{}", self.body);
    }
}
