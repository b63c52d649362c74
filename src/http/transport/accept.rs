//! Takes connections and serves HTTP on each, for as long as its client does not keep the server waiting.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_service::map_config;
use actix_web::dev::{AppConfig, Server, Service as _, ServiceFactory, fn_factory, fn_service};
use actix_web::web::{Data, ServiceConfig};
use actix_web::{App as ActixApp, middleware};
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use super::io::Wire;
use super::lifecycle;
use super::open_connections::{OpenConnection, OpenConnections};
use super::timeouts;
use super::timeouts::Patience;
use crate::app::App;
use crate::http::docs::agent_docs::Documents;
use crate::http::mcp::Mcp;
use crate::http::response::headers;
use crate::http::response::page_cache::PageCache;
use crate::http::routes;
use crate::http::state::HttpState;
use crate::http::web::assets::Assets;
use crate::log::desk::Desk;
use crate::telemetry::{METRICS, event_loops};

/// How many connections may wait to be taken.
const BACKLOG: i32 = 4_096;
/// How long open requests have to end when the server stops, in seconds.
const FAREWELL: u64 = 5;
/// How long a connection stays open behind an answer that came before the request's end, so that the answer is read.
const LINGER: Duration = Duration::from_secs(1);
/// How often a connection's patience is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The part of the routes that a listener serves.
#[derive(Clone, Copy, Debug)]
enum Site {
    /// All routes, except `/metrics` if that has a listener of its own.
    Main,
    /// `/metrics`, and `/healthz` beside it.
    Metrics,
}

/// Serves on a listener, and the metrics on one of their own if there is one. Both stop together.
///
/// # Errors
/// That one of them cannot be listened on.
pub fn serve(
    app: &Arc<App>,
    door: &Arc<HttpState>,
    main: TcpListener,
    metrics: Option<TcpListener>,
) -> std::io::Result<Server> {
    let mut builder = Server::build()
        .shutdown_timeout(FAREWELL)
        .disable_signals()
        .workers(door.capacity.workers)
        .max_concurrent_connections(door.capacity.per_worker);
    let stopping = builder.graceful_shutdown_signal();
    let state = shared_state(app.clone(), door.clone());
    let open = OpenConnections::new(door.capacity.connections, door.capacity.accepted());
    METRICS.connections.most.set(door.capacity.connections as i64);
    METRICS.streams.most.set(door.capacity.streams as i64);
    let (workers, with_metrics) = (Arc::new(AtomicUsize::new(0)), metrics.is_none());
    for (site, listener) in [(Site::Main, Some(main)), (Site::Metrics, metrics)] {
        let Some(listener) = listener else { continue };
        let address = listener.local_addr()?;
        // The standard library asks for 128: a burst would lose connections, and each lost one waits a second.
        SockRef::from(&listener).listen(BACKLOG)?;
        let (state, stopping) = (state.clone(), stopping.clone());
        let (open, workers) = (open.clone(), workers.clone());
        builder = builder.listen(format!("{site:?}"), listener, move || {
            // Called once for each site on each worker's own thread.
            if matches!(site, Site::Main) {
                let worker = format!("http-{}", workers.fetch_add(1, Ordering::Relaxed));
                actix_web::rt::spawn(event_loops::watch(worker));
            }
            let (state, stopping) = (state.clone(), stopping.clone());
            let configure = move |config: &mut ServiceConfig| {
                state(config);
                match site {
                    Site::Main => routes::mount(config, with_metrics),
                    Site::Metrics => routes::mount_metrics(config),
                }
            };
            let stopping = move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            };
            connections(address, configure, stopping, open.clone())
        })?;
    }
    Ok(builder.run())
}

/// Returns a function that adds to an application the state that the workers of both listeners share.
fn shared_state(app: Arc<App>, door: Arc<HttpState>) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
    let documents = Arc::new(Documents::new(&routes::ROUTES, door.base_url.clone()));
    // The protocol's own part is one for all threads.
    let mcp = Data::new(Mcp::new(app.clone(), door.clone(), documents.clone()));
    let (app, door, documents) = (Data::from(app), Data::from(door), Data::from(documents));
    let (assets, pages) = (Data::<Assets>::default(), Data::<PageCache>::default());
    move |config| {
        config.app_data(app.clone()).app_data(door.clone()).app_data(mcp.clone());
        config.app_data(documents.clone()).app_data(assets.clone()).app_data(pages.clone());
    }
}

/// Returns what serves HTTP on the connections of one worker's thread, where it must be called.
fn connections<F: Future<Output = ()> + 'static>(
    address: SocketAddr,
    configure: impl FnOnce(&mut ServiceConfig),
    stopping: impl Fn() -> F + 'static,
    open: Arc<OpenConnections>,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()> {
    let (desk, serving) = Desk::open();
    actix_web::rt::spawn(serving);
    let application = ActixApp::new()
        .app_data(desk)
        .wrap(middleware::from_fn(headers::dress))
        .wrap(middleware::from_fn(lifecycle::follow))
        .configure(configure);
    let http = HttpService::build()
        .keep_alive(timeouts::HEAD)
        .client_request_timeout(timeouts::HEAD)
        .client_disconnect_timeout(LINGER)
        .local_addr(address)
        .graceful_shutdown_signal(stopping)
        .on_connect_ext(|wire: &Wire, data| {
            data.insert(wire.patience.clone());
        })
        .finish(map_config(application, |()| AppConfig::default()));
    let http = Rc::new(http);
    fn_factory(move || {
        let (http, open) = (http.clone(), open.clone());
        async move {
            let http = Rc::new(http.new_service(()).await?);
            Ok(fn_service(move |socket: TcpStream| {
                let client = socket.peer_addr().ok();
                let connection = open.enter(Instant::now());
                let wire = Wire::new(socket, connection.activity.clone());
                let patience = wire.patience.clone();
                attend(http.call((wire, Protocol::Http1, client)), patience, connection)
            }))
        }
    })
}

/// Goes on until the client has gone, has kept the server waiting for too long, or was idle for longest when another needed
/// the room.
async fn attend(
    conversation: impl Future<Output = Result<(), DispatchError>>,
    patience: Rc<Patience>,
    connection: OpenConnection,
) -> Result<(), DispatchError> {
    let mut conversation = pin!(conversation);
    loop {
        tokio::select! {
            // First what has come: a request that is there makes the connection no longer idle.
            biased;
            ended = &mut conversation => return ended,
            () = connection.chosen_to_close() => {
                METRICS.connections.idle_closed.inc();
                return Ok(());
            }
            () = sleep(LOOK) => {}
        }
        if patience.is_over(Instant::now()) {
            return Ok(());
        }
    }
}
