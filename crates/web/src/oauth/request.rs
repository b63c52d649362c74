//! Authorization requests: the query with which a client sends a person to the consent page.

use actix_web::HttpResponse;
use actix_web::http::header::{LOCATION, REFERRER_POLICY};
use caraplace_accounts::oauth::redirect_uri::RedirectUri;
use caraplace_accounts::oauth::{Client, clients, is_code_challenge};
use caraplace_companion::app::App;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;

use super::fields::{is_for_this_server, missing, other_resource, text};

const BROKEN_LINK_HINT: &str = "Start the sign-in again in your program; if that does not help, remove this \
     server there and add it again.";

/// The client of a request, and the registered address to which its person returns.
pub struct ReturnAddress {
    pub client: Client,
    pub redirect_uri: String,
    /// The client's own text, which it gets back.
    pub state: Option<String>,
    issuer: String,
}

/// A checked authorization request.
pub struct AuthorizationRequest {
    pub address: ReturnAddress,
    /// The PKCE challenge of the method `S256`.
    pub code_challenge: String,
}

/// An error that the client gets: its name in the standard, and a sentence.
struct AuthorizationError(&'static str, String);

/// A request that is not valid, with the registered address to which the error can be returned.
pub struct InvalidRequest {
    address: ReturnAddress,
    error: AuthorizationError,
}

impl InvalidRequest {
    /// Redirects a person who has sent a form to the client, with the error.
    pub fn redirect(&self) -> HttpResponse {
        self.address.redirect_error(self.error.0, &self.error.1)
    }

    /// Returns the response to a link: a redirect to a program on the person's machine, but a refusal in
    /// place of one to a web site, because anybody can register one and send people there (RFC 9700, 4.11.2).
    ///
    /// # Errors
    /// The refusal.
    pub fn answer_link(&self) -> Result<HttpResponse, Problem> {
        match self.address.uri() {
            Some(uri) if !uri.is_web() => Ok(self.redirect()),
            _ => Err(Problem::new(Code::InvalidField, self.error.1.as_str()).hint(BROKEN_LINK_HINT)),
        }
    }
}

impl ReturnAddress {
    /// Finds the client and checks its address. Before that, nobody is redirected.
    ///
    /// # Errors
    /// A refusal for the person, and never a redirect.
    pub async fn read(app: &App, issuer: &str, params: &QueryParams) -> Result<Self, Problem> {
        let absent = || broken_link(Code::MissingField, "client_id", missing("client_id"));
        let id =
            text(params, "client_id").map_err(|detail| invalid("client_id", detail))?.ok_or_else(absent)?;
        let client = clients::find(&app.state, id).await?;
        let client = client.ok_or_else(|| invalid("client_id", "This server does not know the program."))?;
        let redirect_uri = text(params, "redirect_uri").map_err(|detail| invalid("redirect_uri", detail))?;
        let redirect_uri = match (redirect_uri, client.redirect_uris.as_slice()) {
            (Some(uri), _) => RedirectUri::parse(uri).filter(|uri| client.allows(uri)),
            (None, [only]) => RedirectUri::parse(only),
            (None, _) => None,
        };
        let redirect_uri = redirect_uri.map(|uri| uri.as_str().to_owned());
        let unknown = || invalid("redirect_uri", "The program has not registered the address to return to.");
        let redirect_uri = redirect_uri.ok_or_else(unknown)?;
        let state = text(params, "state").ok().flatten().map(str::to_owned);
        Ok(Self { client, redirect_uri, state, issuer: issuer.to_owned() })
    }

    /// Returns the parsed redirect URI.
    pub fn uri(&self) -> Option<RedirectUri<'_>> {
        RedirectUri::parse(&self.redirect_uri)
    }

    /// Redirects the person to the client with these parameters, the state, and the issuer (RFC 9207).
    pub fn redirect(&self, params: &[(&str, &str)]) -> HttpResponse {
        let mut params = params.to_vec();
        params.extend(self.state.as_deref().map(|state| ("state", state)));
        params.push(("iss", &self.issuer));
        let location = self.uri().map(|uri| uri.with_params(&params)).unwrap_or_default();
        let mut response = no_store(HttpResponse::SeeOther());
        response.insert_header((REFERRER_POLICY, "no-referrer"));
        response.insert_header((LOCATION, location)).finish()
    }

    /// Redirects the person to the client with an error.
    pub fn redirect_error(&self, error: &str, description: &str) -> HttpResponse {
        self.redirect(&[("error", error), ("error_description", description)])
    }
}

impl AuthorizationRequest {
    /// Checks the rest of a request. Unknown parameters are ignored.
    ///
    /// # Errors
    /// The error for the client.
    pub fn check(
        address: ReturnAddress,
        params: &QueryParams,
        base_url: &str,
    ) -> Result<Self, Box<InvalidRequest>> {
        match read_challenge(params, base_url) {
            Ok(code_challenge) => Ok(Self { address, code_challenge }),
            Err(error) => Err(Box::new(InvalidRequest { address, error })),
        }
    }
}

fn read_challenge(params: &QueryParams, base_url: &str) -> Result<String, AuthorizationError> {
    let invalid_request = |description| AuthorizationError("invalid_request", description);
    let field = |name| text(params, name).map_err(invalid_request);
    field("state")?;
    let response_type = field("response_type")?.ok_or_else(|| invalid_request(missing("response_type")))?;
    if response_type != "code" {
        return Err(AuthorizationError("unsupported_response_type", "response_type must be code.".into()));
    }
    let challenge = field("code_challenge")?.ok_or_else(|| invalid_request(missing("code_challenge")))?;
    // Without a method it would be `plain`, which protects nothing.
    if field("code_challenge_method")? != Some("S256") || !is_code_challenge(challenge) {
        let description = "code_challenge_method must be S256, and code_challenge its 43 characters.";
        return Err(invalid_request(description.into()));
    }
    if !is_for_this_server(params, base_url) {
        return Err(AuthorizationError("invalid_target", other_resource(base_url)));
    }
    Ok(challenge.to_owned())
}

fn invalid(name: &str, detail: impl Into<String>) -> Problem {
    broken_link(Code::InvalidField, name, detail)
}

fn broken_link(code: Code, name: &str, detail: impl Into<String>) -> Problem {
    Problem::for_field(code, name, detail).hint(BROKEN_LINK_HINT)
}
