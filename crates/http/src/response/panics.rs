//! Responds to requests whose handler panics.

use std::panic::AssertUnwindSafe;

use actix_web::Error;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use futures_util::FutureExt as _;
use platform::refusal::internal;

use super::problem::Problem;

/// Middleware that responds with `internal_error` if the handler panics, so that the connection and its other
/// requests continue. The panic hook has logged and counted the panic. Wrap resources with it: there,
/// requests are routed and can be cloned.
pub async fn catch_panics(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let head = request.request().clone();
    match AssertUnwindSafe(next.call(request)).catch_unwind().await {
        Ok(response) => Ok(response?.map_into_boxed_body()),
        Err(_) => {
            Ok(ServiceResponse::from_err(Problem::from(internal("handling a request")("it panicked")), head))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::{TestRequest, call_service, init_service};
    use actix_web::{App, HttpResponse, middleware, web};

    async fn panicking() -> HttpResponse {
        panic!("on purpose")
    }

    #[actix_web::test]
    async fn panic_gives_500_and_the_next_request_works() {
        let resource =
            web::resource("/").route(web::get().to(panicking)).route(web::post().to(HttpResponse::Ok));
        let app = init_service(App::new().service(resource.wrap(middleware::from_fn(catch_panics)))).await;
        for _ in 0..2 {
            let response = call_service(&app, TestRequest::get().to_request()).await;
            assert_eq!(response.status(), 500);
            assert_eq!(response.headers().get("content-type").unwrap(), "application/problem+json");
        }
        assert_eq!(call_service(&app, TestRequest::post().to_request()).await.status(), 200);
    }
}
