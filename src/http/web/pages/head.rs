//! The contents of the head of every page (`templates/document.html` and `listed.html`).

/// The head of a page that search engines do not list (`base.html`).
pub struct PageHead<'a> {
    /// The link of header or footer that leads to this path is marked.
    pub path: &'a str,
    pub title: &'a str,
}

/// The head of a page with what other sites show when they link to it (`listed.html`).
pub struct ListedHead<'a> {
    /// The link of header or footer that leads to this path is marked.
    pub path: &'a str,
    /// Path and query.
    pub address: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    /// The address of the server, without a slash at the end.
    pub base_url: &'a str,
}

impl<'a> ListedHead<'a> {
    /// Returns the head of a page whose address is a path without a query.
    pub fn new(base_url: &'a str, path: &'a str, title: &'a str, description: &'a str) -> Self {
        Self { path, address: path, title, description, base_url }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askama::Template;

    #[derive(Template)]
    #[template(source = r#"{% extends "listed.html" %}"#, ext = "html")]
    struct Empty<'a> {
        page: ListedHead<'a>,
    }

    #[test]
    fn marks_one_link_as_current_and_escapes_text() {
        let page = ListedHead::new("http://127.0.0.1:8080", "/how", "<b>", "\"quoted\"");
        let html = Empty { page }.render().unwrap();
        assert!(html.contains("<title>&lt;b&gt; · Caraplace</title>") && !html.contains("{{"));
        assert!(html.contains("content=\"&quot;quoted&quot;\""));
        assert!(html.contains("content=\"http://127.0.0.1:8080/og.png\""));
        assert_eq!(html.matches("aria-current").count(), 1);
        assert!(html.contains("<a href=\"/how\" aria-current=\"page\">"));
    }
}
