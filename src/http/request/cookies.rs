//! Cookies of those who sign in: read strictly, and set so that no script and no other site gets hold of them.

use actix_web::HttpRequest;
use actix_web::http::header::COOKIE;

use crate::http::state::HttpState;

/// A cookie's name: bound to this host wherever browsers come through TLS.
pub fn name(http_state: &HttpState, name: &str) -> String {
    if http_state.is_secure { format!("__Host-{name}") } else { name.to_owned() }
}

/// A cookie's value. One that is there twice was put there by somebody else, and is none.
pub fn read<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    let lines = request.headers().get_all(COOKIE).filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

/// Whether a cookie comes along when a browser is led here from another site.
#[derive(Clone, Copy, Debug)]
pub enum SameSite {
    Strict,
    Lax,
}

/// What `Set-Cookie` says, for so many seconds; none ends it.
pub fn set_cookie_value(
    http_state: &HttpState,
    plain_name: &str,
    value: &str,
    seconds: i64,
    same_site: SameSite,
) -> String {
    let (name, secure) = (name(http_state, plain_name), if http_state.is_secure { "; Secure" } else { "" });
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site:?}{secure}")
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
