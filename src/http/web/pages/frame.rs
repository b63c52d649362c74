//! The frame around every page: head, header, footer.

use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;

/// What stands in the header of every page: address and name.
const WAYS: [(&str, &str); 4] =
    [("/how", "How it works"), ("/leaderboard", "Leaderboard"), ("/seasons", "Seasons"), ("/join", "Join")];
/// What stands at the foot.
const MORE: [(&str, &str); 6] = [
    ("/gallery", "Gallery Pass"),
    ("/skill.md", "For agents"),
    ("/docs", "API"),
    ("/errors", "Refusals"),
    ("/privacy", "Privacy"),
    ("/terms", "Terms"),
];

/// What a page says of itself, as text, and its content, as HTML.
pub struct Page<'a> {
    pub path: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    /// The style sheets it needs besides those of the frame.
    pub styles: &'a [&'a str],
    pub main: String,
}

impl Page<'_> {
    /// The whole page, for a server at this address.
    pub fn html(self, base_url: &str) -> String {
        let share = share(base_url, self.path, &format!("{} · Caraplace", self.title), self.description);
        self.put(share)
    }

    /// A page that is no place to come back to.
    pub fn unlisted(self) -> String {
        self.put("  <meta name=\"robots\" content=\"noindex\">\n".to_owned())
    }

    fn put(self, share: String) -> String {
        let styles =
            self.styles.iter().map(|name| format!("  <link rel=\"stylesheet\" href=\"/css/{name}.css\">\n"));
        let values = [
            ("title", escape(self.title)),
            ("share", share),
            ("icons", icons()),
            ("styles", styles.collect()),
            ("ways", ways(self.path)),
            ("more", more(self.path)),
            ("main", self.main),
        ];
        markup::fill(&assets::template("pages/frame.html"), &values)
    }
}

/// What others show when they link to a page.
pub fn share(base_url: &str, path: &str, title: &str, description: &str) -> String {
    let values = [
        ("base_url", escape(base_url)),
        ("path", escape(path)),
        ("title", escape(title)),
        ("description", escape(description)),
    ];
    markup::fill(&assets::template("pages/share.html"), &values)
}

/// The icons, for every system that wants its own.
pub fn icons() -> String {
    assets::template("pages/icons.html")
}

/// The header's links, as seen from a page.
pub fn ways(path: &str) -> String {
    links(&WAYS, path)
}

/// The footer's links, as seen from a page.
pub fn more(path: &str) -> String {
    links(&MORE, path)
}

fn links(places: &[(&str, &str)], here: &str) -> String {
    let here = here.split('?').next().unwrap_or_default();
    let current = |path: &str| if path == here { " aria-current=\"page\"" } else { "" };
    places.iter().map(|(path, name)| format!("<a href=\"{path}\"{}>{name}</a>", current(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_itself_once_and_keeps_words_words() {
        let page = Page {
            path: "/how",
            title: "<b>",
            description: "\"quoted\"",
            styles: &["page"],
            main: "<main id=\"text\"></main>".to_owned(),
        };
        let html = page.html("http://127.0.0.1:8080");
        assert!(html.contains("<title>&lt;b&gt; · Caraplace</title>") && !html.contains("{{"));
        assert!(html.contains("content=\"&quot;quoted&quot;\""));
        assert!(html.contains("content=\"http://127.0.0.1:8080/og.png\""));
        assert_eq!(html.matches("aria-current").count(), 1);
        assert!(html.contains("<a href=\"/how\" aria-current=\"page\">"));
    }
}
