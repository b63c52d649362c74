//! The state of the application and that of the HTTP server, with which routes are mounted.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::web::Data;
use caraplace_companion::app::App;
use platform::refusal::internal;

use crate::response::problem::Problem;
use crate::state::HttpState;

/// Returns the application state.
pub fn app(request: &HttpRequest) -> Result<&Arc<App>, Problem> {
    app_data(request)
}

/// Returns the shared state of the HTTP server.
pub fn http_state(request: &HttpRequest) -> Result<&Arc<HttpState>, Problem> {
    app_data(request)
}

fn app_data<T: 'static>(request: &HttpRequest) -> Result<&Arc<T>, Problem> {
    let data = request.app_data::<Data<T>>().ok_or("the route was mounted without the state");
    Ok(data.map_err(internal("reading the state of a request"))?)
}
