//! The content security policy of pages.

/// The content security policy of pages.
pub const CSP: &str = "default-src 'self'; img-src 'self' data: blob:; \
     object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";
