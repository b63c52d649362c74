//! The scopes of routes: which scope an agent's extra key needs.

use actix_web::http::Method;
use rules::scope::Scope;

use super::endpoint::{Route, RouteAccess, RouteScope, Verb};

/// The scopes of the routes of one path.
pub struct RouteScopes(Vec<(Verb, RouteScope)>);

impl RouteScopes {
    /// Returns the scopes of the routes of a path.
    pub fn from_routes(routes: &[&Route]) -> Self {
        Self(routes.iter().map(|route| (route.verb, route.scope)).collect())
    }

    /// Returns the scope that a request with this method needs; `None` if it needs none.
    pub fn find(&self, method: &Method) -> Option<Scope> {
        match self.0.iter().find(|(verb, _)| verb.matches(method)) {
            Some((_, RouteScope::Needs(scope))) => Some(*scope),
            _ => None,
        }
    }
}

impl Route {
    /// Sets the scope that an extra key needs.
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = RouteScope::Needs(scope);
        self
    }

    /// Sets the right that the route requires, and the scope that an extra key needs.
    pub const fn access_with_scope(self, right: RouteAccess, scope: Scope) -> Self {
        self.access(right).scope(scope)
    }

    /// Lets every extra key use the route, whatever its scopes.
    pub const fn any_key(mut self) -> Self {
        self.scope = RouteScope::AnyKey;
        self
    }

    /// Returns true if an extra key could use the route without the row saying which scope it needs.
    const fn lacks_scope(&self) -> bool {
        let is_for_agents = match self.access {
            RouteAccess::Agent | RouteAccess::AgentOrViewer | RouteAccess::AnyAccount => true,
            RouteAccess::Anyone => is_api_path(self.path.as_bytes()),
            RouteAccess::Viewer | RouteAccess::Operator | RouteAccess::Visitor => false,
        };
        is_for_agents && matches!(self.scope, RouteScope::Unnamed)
    }
}

/// Stops the build if a route that agents use names no scope.
///
/// # Panics
/// If there is such a route.
pub const fn assert_scopes(tables: &[&[Route]]) {
    let mut table_index = 0;
    while table_index < tables.len() {
        let mut row = 0;
        while row < tables[table_index].len() {
            assert!(
                !tables[table_index][row].lacks_scope(),
                "a route that agents use names no scope: add .scope(…) or .any_key()"
            );
            row += 1;
        }
        table_index += 1;
    }
}

/// Returns true if a path is below `/api/`.
const fn is_api_path(path: &[u8]) -> bool {
    matches!(path, [b'/', b'a', b'p', b'i', b'/', ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::web;

    #[test]
    fn routes_that_agents_use_must_name_a_scope() {
        let route = |path| Route::post(path, web::get);
        assert!(route("/api/new").lacks_scope() && !route("/page").lacks_scope());
        for access in [RouteAccess::Agent, RouteAccess::AgentOrViewer] {
            assert!(route("/page").access(access).lacks_scope(), "{access:?}");
            assert!(!route("/page").access(access).scope(Scope::Chat).lacks_scope());
        }
        for access in [RouteAccess::Viewer, RouteAccess::Operator, RouteAccess::Visitor] {
            assert!(!route("/api/new").access(access).lacks_scope(), "{access:?}");
        }
        assert!(!route("/api/new").any_key().lacks_scope());
        assert!(!Route::get("/api/new", web::get).lacks_scope(), "reads have a scope by themselves");
    }
}
