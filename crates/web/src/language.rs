//! The languages of the canvas page. The key of a text is the text in English; `public/words` has a catalogue
//! for each other language, which templates and scripts share.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::LazyLock;

use actix_web::HttpRequest;
use actix_web::http::header::{AcceptLanguage, Header as _, Preference, Quality};
use actix_web::web::Data;
use caraplace_http::HandlerResult;
use caraplace_http::request::cookies::{self, append_lax_cookie};
use caraplace_http::request::query::{QueryParams, invalid};
use caraplace_http::request::viewer_cookies::redirect_to;
use caraplace_http::state::HttpState;
use chrono::{DateTime, Utc};

use super::{page_files, public_files};

/// The cookie with the code of the language that a visitor has chosen.
const LANGUAGE_COOKIE: &str = "caraplace_language";
/// The lifetime of the cookie: a year, in seconds.
const COOKIE_SECONDS: i64 = 365 * 86_400;

/// The German text of each English one.
static GERMAN: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let catalogue = public_files::read_text(&page_files::catalogue_path("de"));
    serde_json::from_str(&catalogue)
        .inspect_err(|error| tracing::error!(%error, "the catalogue of German texts cannot be read"))
        .unwrap_or_default()
});

/// A language of the canvas page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    German,
}

impl Language {
    /// Returns the language that a visitor has chosen, or else the one that the browser prefers. English by
    /// default.
    pub fn from_request(request: &HttpRequest, http_state: &HttpState) -> Self {
        let chosen = cookies::read(request, &cookie_name(http_state));
        chosen
            .and_then(Self::from_code)
            .or_else(|| Self::from_accept_language(request))
            .unwrap_or(Self::English)
    }

    /// Returns the first supported language of `Accept-Language`, by quality. `None` if there is none.
    fn from_accept_language(request: &HttpRequest) -> Option<Self> {
        let AcceptLanguage(mut ranges) = AcceptLanguage::parse(request).ok()?;
        ranges.retain(|range| range.quality > Quality::ZERO);
        AcceptLanguage(ranges).ranked().iter().find_map(|range| match range {
            Preference::Any => Some(Self::English),
            Preference::Specific(tag) => Self::from_code(tag.primary_language()),
        })
    }

    /// Returns the language with a code.
    fn from_code(code: &str) -> Option<Self> {
        [Self::English, Self::German].into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }

    /// Returns the code of the language (BCP 47).
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Returns the name of the language in the language itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// Returns the language to which a link on the page leads.
    pub fn other(self) -> Self {
        match self {
            Self::English => Self::German,
            Self::German => Self::English,
        }
    }

    /// Returns the address of the texts for the scripts. `None` in English, whose texts are in the scripts.
    pub fn catalogue_address(self) -> Option<String> {
        match self {
            Self::English => None,
            Self::German => Some(page_files::catalogue(self.code())),
        }
    }

    /// Returns a text in this language; the English text if the catalogue does not have it.
    pub fn translate(self, text: &str) -> &str {
        match self {
            Self::English => text,
            Self::German => GERMAN.get(text).map_or(text, String::as_str),
        }
    }

    /// Returns a text in this language, with values in place of `{name}`.
    pub fn translate_with<T: Display>(self, text: &str, values: &[(&str, T)]) -> String {
        let fill = |text: String, (name, value): &(&str, T)| {
            text.replace(&format!("{{{name}}}"), &value.to_string())
        };
        values.iter().fold(self.translate(text).to_owned(), fill)
    }

    /// Formats a time to the second, with its date.
    pub fn format_moment(self, at: &DateTime<Utc>) -> String {
        let format = match self {
            Self::English => "%-d %B %Y, %H:%M:%S UTC",
            Self::German => "%-d.%-m.%Y, %H:%M:%S UTC",
        };
        at.format(format).to_string()
    }
}

/// Returns the name that the cookie has in browsers.
pub fn cookie_name(http_state: &HttpState) -> String {
    cookies::name(http_state, LANGUAGE_COOKIE)
}

/// `GET /language`: remembers the language that a visitor chooses, and shows the canvas page in it.
#[allow(clippy::unused_async, reason = "handlers are async")]
pub async fn choose_language(params: QueryParams, http_state: Data<HttpState>) -> HandlerResult {
    let chosen = Language::from_code(params.required_text("to")?);
    let language = chosen.ok_or_else(|| invalid("to", "must be en or de"))?;
    let mut response = redirect_to("/");
    append_lax_cookie(&http_state, &mut response, LANGUAGE_COOKIE, language.code(), COOKIE_SECONDS);
    Ok(response.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::ACCEPT_LANGUAGE;
    use actix_web::test::TestRequest;

    #[test]
    fn quality_decides_and_unknown_languages_are_skipped() {
        let cases = [
            ("de", Some(Language::German)),
            ("DE-at, en;q=0.8", Some(Language::German)),
            ("fr, de;q=0.4, en;q=0.3", Some(Language::German)),
            ("de;q=0.3, en;q=0.8", Some(Language::English)),
            ("de;q=0, *;q=0.5", Some(Language::English)),
            ("de;q=0", None),
            ("fr, dev", None),
            ("", None),
            ("de;q=x, ;;, -", None),
        ];
        for (header, expected) in cases {
            let request = TestRequest::get().insert_header((ACCEPT_LANGUAGE, header)).to_http_request();
            assert_eq!(Language::from_accept_language(&request), expected, "{header}");
        }
    }

    #[test]
    fn texts_are_translated_and_filled_in() {
        assert_eq!(Language::German.translate("Plans"), "Pläne");
        assert_eq!(Language::English.translate("Plans"), "Plans");
        assert_eq!(Language::German.translate("not in the catalogue"), "not in the catalogue");
        let size = [("width", 128), ("height", 64)];
        let text = "Sixteen colours,\n{width} × {height} pixels";
        assert_eq!(Language::English.translate_with(text, &size), "Sixteen colours,\n128 × 64 pixels");
        assert_eq!(Language::German.translate_with(text, &size), "Sechzehn Farben,\n128 × 64 Pixel");
    }

    #[test]
    fn dates_have_the_order_of_the_language() {
        let at = DateTime::from_timestamp(0, 0).unwrap();
        assert_eq!(Language::English.format_moment(&at), "1 January 1970, 00:00:00 UTC");
        assert_eq!(Language::German.format_moment(&at), "1.1.1970, 00:00:00 UTC");
    }
}
