//! Reads and sets cookies, which scripts and other sites cannot read.

use actix_web::http::header::{COOKIE, HeaderValue, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponseBuilder};

use crate::state::HttpState;

/// Returns a cookie's full name, with TLS with the `__Host-` prefix, which binds it to this host.
pub fn name(http_state: &HttpState, name: &str) -> String {
    if http_state.is_secure { format!("__Host-{name}") } else { name.to_owned() }
}

/// Returns a cookie's value; `None` if it is absent, or repeated, because then another host has set one.
pub fn read<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    let lines = request.headers().get_all(COOKIE).filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

/// The `SameSite` attribute of a cookie.
#[derive(Clone, Copy, Debug)]
pub enum SameSite {
    Strict,
    Lax,
}

/// Returns the value of `Set-Cookie` for a cookie with this lifetime; 0 seconds delete it.
pub fn set_cookie_value(
    http_state: &HttpState,
    plain_name: &str,
    value: &str,
    seconds: i64,
    same_site: SameSite,
) -> String {
    let name = name(http_state, plain_name);
    let secure = if http_state.is_secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site:?}{secure}")
}

/// Sets a cookie with `SameSite=Lax`, so that browsers send it when a link or a redirect of another site
/// leads here.
pub fn append_lax_cookie(
    http_state: &HttpState,
    response: &mut HttpResponseBuilder,
    name: &str,
    value: &str,
    seconds: i64,
) {
    if let Ok(cookie) =
        HeaderValue::from_str(&set_cookie_value(http_state, name, value, seconds, SameSite::Lax))
    {
        response.append_header((SET_COOKIE, cookie));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn finds_a_cookie_by_exact_name_if_it_is_unique() {
        let value = |line: &str| {
            let request = TestRequest::get().insert_header((COOKIE, line)).to_http_request();
            read(&request, "here").map(str::to_owned)
        };
        assert_eq!(value("here=1"), Some("1".to_owned()));
        assert_eq!(value("a=b; here=x=y;c"), Some("x=y".to_owned()));
        for none in ["", "here", "there=1", "Here=1", "here=1; here=1", "xhere=1"] {
            assert_eq!(value(none), None, "{none}");
        }
    }
}
