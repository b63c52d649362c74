//! The HTTP methods of the route table.

use actix_web::http::Method;

/// An HTTP method that a route supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// GET, and HEAD with it.
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// Returns the method's name in HTTP.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Returns the method's part of an `Allow` header.
    pub fn allow_header_value(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Returns true if a request with this method is for the route.
    pub fn matches(self, method: &Method) -> bool {
        match self {
            Self::Get => matches!(*method, Method::GET | Method::HEAD),
            Self::Post => *method == Method::POST,
            Self::Put => *method == Method::PUT,
            Self::Patch => *method == Method::PATCH,
            Self::Delete => *method == Method::DELETE,
        }
    }
}
