//! The stand-in model: reads a request, chooses the next step, and streams it.

mod answers;
mod behaviour;
mod events;
mod pictures;
mod question;

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::{App, HttpResponse, HttpServer, web};
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Value, json};

use crate::question::Question;

/// The maximum size of a request.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Serves the model at this listener, with this pause between two words.
pub fn serve(listener: TcpListener, pause: Duration) -> io::Result<Server> {
    let app = move || {
        App::new()
            .app_data(web::JsonConfig::default().limit(MAX_REQUEST_BYTES))
            .app_data(web::Data::new(pause))
            .route("/v1/messages", web::post().to(answer))
    };
    // Without signals of its own, it ends at once like any program.
    Ok(HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run())
}

#[allow(clippy::unused_async, reason = "handlers are asynchronous")]
async fn answer(body: web::Json<Value>, pause: web::Data<Duration>) -> HttpResponse {
    let Some(question) = Question::from_request(&body) else {
        let error = json!({"type": "invalid_request_error", "message": "The request contains no question."});
        return HttpResponse::BadRequest().json(json!({"type": "error", "error": error}));
    };
    let events = events::stream_of(&behaviour::next_step(&question), body.to_string().len());
    let pause = **pause;
    let events = stream::iter(events).then(move |event| async move {
        tokio::time::sleep(pause).await;
        Ok::<_, Infallible>(Bytes::from(event))
    });
    HttpResponse::Ok().content_type("text/event-stream").streaming(events)
}
