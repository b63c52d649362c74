//! The values for the head of every page (`templates/document.html` and `listed.html`).

/// The head of a page that search engines do not list (`base.html`).
pub struct PageHead<'a> {
    /// The path whose link in the header or footer is marked as current.
    pub path: &'a str,
    pub title: &'a str,
    /// True if the header and footer link to the pages for visitors, which a server need not have.
    pub has_pages: bool,
}

/// The head of a page with metadata for search engines and link previews (`listed.html`).
pub struct ListedHead<'a> {
    /// The path whose link in the header or footer is marked as current.
    pub path: &'a str,
    /// The path and query of the page.
    pub address: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    /// The server's public URL, without a trailing slash.
    pub base_url: &'a str,
    /// The image for link previews; `None` for that of the canvas.
    pub image: Option<PreviewImage<'a>>,
    /// True if the header and footer link to the pages for visitors, which a server need not have.
    pub has_pages: bool,
}

/// An image for link previews.
pub struct PreviewImage<'a> {
    /// The path and query of a PNG.
    pub path: &'a str,
    pub width: u32,
    pub height: u32,
    pub alt: &'a str,
}

impl<'a> PageHead<'a> {
    /// Returns the head of a page on a server with pages for visitors.
    pub const fn new(path: &'a str, title: &'a str) -> Self {
        Self { path, title, has_pages: true }
    }
}

impl<'a> ListedHead<'a> {
    /// Returns the head of a page without a query on a server with pages for visitors.
    pub fn new(base_url: &'a str, path: &'a str, title: &'a str, description: &'a str) -> Self {
        Self { path, address: path, title, description, base_url, image: None, has_pages: true }
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
        // In the header and in the menu of phones.
        assert_eq!(html.matches("aria-current").count(), 2);
        assert!(html.contains("<a href=\"/how\" aria-current=\"page\">"));
    }
}
