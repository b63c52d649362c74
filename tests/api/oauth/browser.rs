//! The browser of a person who answers on the consent page.

use regex::Regex;
use reqwest::Client;
use reqwest::redirect::Policy;

use crate::support::{Reply, with_form_body};

/// A browser with its cookie, which follows no redirects by itself.
pub struct Browser {
    client: Client,
    cookie: String,
}

/// A page with the hidden fields of its forms.
pub struct Page {
    url: String,
    pub reply: Reply,
    pub html: String,
    pub fields: Vec<(String, String)>,
}

impl Browser {
    pub fn new() -> Self {
        let client = https_client::builder().unwrap().redirect(Policy::none()).build().unwrap();
        Self { client, cookie: String::new() }
    }

    /// Opens a page.
    pub async fn open(&mut self, url: &str) -> Page {
        let request = self.client.get(url).header("Accept", "text/html").header("Cookie", &self.cookie);
        let reply = Reply::fetch(request).await;
        if reply.headers.contains_key("set-cookie") {
            reply.header("set-cookie").split(';').next().unwrap().clone_into(&mut self.cookie);
        }
        Page::new(url, reply)
    }

    /// Sends a form of a page with these fields, which replace hidden ones of the same name.
    pub async fn submit(&self, page: &Page, fields: &[(&str, &str)]) -> Page {
        self.submit_from(page, fields, "same-origin").await
    }

    /// Sends a form, as if from a page of this site.
    pub async fn submit_from(&self, page: &Page, fields: &[(&str, &str)], site: &str) -> Page {
        let is_hidden = |name: &str| !fields.iter().any(|(own, _)| *own == name);
        let hidden = page.fields.iter().filter(|(name, _)| is_hidden(name));
        let hidden = hidden.map(|(name, value)| (name.as_str(), value.as_str()));
        let all: Vec<_> = hidden.chain(fields.iter().copied()).collect();
        let url = page.url.split('?').next().unwrap();
        let request = self.client.post(url).header("Accept", "text/html").header("Sec-Fetch-Site", site);
        let request = request.header("Cookie", &self.cookie);
        Page::new(url, Reply::fetch(with_form_body(request, &all)).await)
    }
}

impl Page {
    fn new(url: &str, reply: Reply) -> Self {
        let html = String::from_utf8(reply.bytes.clone()).unwrap();
        let hidden = Regex::new(r#"<input type="hidden" name="([^"]*)" value="([^"]*)">"#).unwrap();
        let text = |text: &str| text.replace("&quot;", "\"").replace("&lt;", "<").replace("&amp;", "&");
        let mut fields: Vec<(String, String)> =
            hidden.captures_iter(&html).map(|found| (found[1].to_owned(), text(&found[2]))).collect();
        fields.sort();
        fields.dedup();
        Self { url: url.to_owned(), reply, html, fields }
    }

    /// Returns a parameter of the address to which the page redirects; empty if there is none.
    pub fn redirect_param(&self, name: &str) -> String {
        let location = self.reply.header("location");
        let query = location.split_once('?').map_or("", |(_, query)| query);
        let mut params = form_urlencoded::parse(query.as_bytes());
        params.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
    }
}
