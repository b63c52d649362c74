//! The scopes of routes: which scope an agent's extra key needs, and which an operator.

use actix_web::http::Method;
use rules::operators::OperatorScope;
use rules::scope::Scope;

use super::endpoint::{Route, RouteAccess, RouteScope, Verb};
use super::operator_need::OperatorNeed;

/// The scopes of the routes of one path.
pub struct RouteScopes(Vec<ScopesOfVerb>);

/// The scopes of a route.
struct ScopesOfVerb {
    verb: Verb,
    scope: RouteScope,
    operator_need: OperatorNeed,
}

impl RouteScopes {
    /// Returns the scopes of the routes of a path.
    pub fn from_routes(routes: &[&Route]) -> Self {
        let scopes = routes.iter().map(|route| ScopesOfVerb {
            verb: route.verb,
            scope: route.scope,
            operator_need: route.operator_need(),
        });
        Self(scopes.collect())
    }

    /// Returns the scope that a request with this method needs; `None` if it needs none.
    pub fn find(&self, method: &Method) -> Option<Scope> {
        match self.of_method(method)?.scope {
            RouteScope::Needs(scope) => Some(scope),
            RouteScope::Unnamed | RouteScope::AnyKey => None,
        }
    }

    /// Returns what an operator needs for a request with this method; `None` if there is no such route.
    pub fn find_operator_need(&self, method: &Method) -> Option<OperatorNeed> {
        Some(self.of_method(method)?.operator_need)
    }

    fn of_method(&self, method: &Method) -> Option<&ScopesOfVerb> {
        self.0.iter().find(|scopes| scopes.verb.matches(method))
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

    /// Sets the scope that an operator needs.
    pub const fn operator_scope(mut self, scope: OperatorScope) -> Self {
        self.operator_need = Some(OperatorNeed::Scope(scope));
        self
    }

    /// Lets every signed-in operator use the route, which concerns the operator's own account.
    pub const fn own_account(mut self) -> Self {
        self.operator_need = Some(OperatorNeed::OwnAccount);
        self
    }

    /// Returns what an operator needs for the route: what its row names, else `read` for reads and `manage`
    /// for changes.
    pub fn operator_need(&self) -> OperatorNeed {
        let is_read = self.verb == Verb::Get;
        let usual = if is_read { OperatorScope::Read } else { OperatorScope::Manage };
        self.operator_need.unwrap_or(OperatorNeed::Scope(usual))
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
    use crate::route::endpoint::for_moderators;
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

    #[test]
    fn operators_need_what_the_row_or_else_its_list_names() {
        let need = |route: Route| route.operator_need();
        assert_eq!(need(Route::get("/api/new", web::get)), OperatorNeed::Scope(OperatorScope::Read));
        assert_eq!(need(Route::post("/api/new", web::get)), OperatorNeed::Scope(OperatorScope::Manage));
        let rows = [
            Route::get("/api/admin/new", web::get),
            Route::post("/api/admin/new", web::get),
            Route::post("/api/admin/other", web::get).operator_scope(OperatorScope::Own),
            Route::post("/api/admin/own", web::get).own_account(),
        ];
        assert_eq!(
            for_moderators(rows).map(need),
            [
                OperatorNeed::Scope(OperatorScope::Read),
                OperatorNeed::Scope(OperatorScope::Moderate),
                OperatorNeed::Scope(OperatorScope::Own),
                OperatorNeed::OwnAccount,
            ]
        );
    }
}
