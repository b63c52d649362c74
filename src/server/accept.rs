//! Accepts connections and serves HTTP on them, with timeouts for slow clients.

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
use caraplace_companion::app::App;
use caraplace_http::api::event_pages::EventPages;
use caraplace_http::response::page_cache::PageCache;
use caraplace_http::state::HttpState;
use caraplace_http::transport::io::ClientSocket;
use caraplace_http::transport::open_connections::{OpenConnection, OpenConnections};
use caraplace_http::transport::timeouts::ConnectionTimeouts;
use caraplace_http::transport::{lifecycle, timeouts};
use caraplace_log::reply_batcher::ReplyBatcher;
use caraplace_web::assets::Assets;
use caraplace_web::pages::first_view::FirstViews;
use platform::telemetry::{METRICS, event_loops};
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::server::docs::agent_docs::Documents;
use crate::server::mcp::Mcp;
use crate::server::{response_headers, routes};

/// The length of the listener's queue of connections that are not accepted yet.
const ACCEPT_BACKLOG: i32 = 4_096;
/// The time that open requests have to finish when the server stops, in seconds.
const SHUTDOWN_TIMEOUT_SECONDS: u64 = 5;
/// The time that a connection stays open after a response that was sent before the request's end, so that the
/// client can read it.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);
/// The interval at which a connection's timeouts are checked.
const TIMEOUT_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The part of the routes that a listener serves.
#[derive(Clone, Copy, Debug)]
enum ListenerKind {
    /// All routes, except `/metrics` if that has a listener of its own.
    Main,
    /// `/metrics`, and `/healthz` beside it.
    Metrics,
}

/// Serves requests on the main listener, and metrics on their own one if there is one. Both stop together.
///
/// # Errors
/// An I/O error of a listener.
pub fn serve(
    app: &Arc<App>,
    http_state: &Arc<HttpState>,
    main: TcpListener,
    metrics: Option<TcpListener>,
) -> std::io::Result<Server> {
    let mut builder = Server::build()
        .shutdown_timeout(SHUTDOWN_TIMEOUT_SECONDS)
        .disable_signals()
        .workers(http_state.capacity.workers)
        .max_concurrent_connections(http_state.capacity.connections_per_worker);
    let shutdown_signal = builder.graceful_shutdown_signal();
    let state = configure_shared_state(app.clone(), http_state.clone());
    let open_connections =
        OpenConnections::new(http_state.capacity.connections, http_state.capacity.max_accepted());
    METRICS.connections.max.set(http_state.capacity.connections as i64);
    METRICS.streams.max.set(http_state.capacity.streams as i64);
    let workers = Arc::new(AtomicUsize::new(0));
    let with_metrics = metrics.is_none();
    let served_routes = routes::served_routes(http_state.has_pages);
    for (kind, listener) in [(ListenerKind::Main, Some(main)), (ListenerKind::Metrics, metrics)] {
        let Some(listener) = listener else { continue };
        let address = listener.local_addr()?;
        // The standard library sets 128: a burst would overflow that, and each lost connection costs its
        // client a second.
        SockRef::from(&listener).listen(ACCEPT_BACKLOG)?;
        let state = state.clone();
        let shutdown_signal = shutdown_signal.clone();
        let open_connections = open_connections.clone();
        let workers = workers.clone();
        builder = builder.listen(format!("{kind:?}"), listener, move || {
            // Called once per listener on each worker's thread.
            if matches!(kind, ListenerKind::Main) {
                let worker = format!("http-{}", workers.fetch_add(1, Ordering::Relaxed));
                actix_web::rt::spawn(event_loops::watch(worker));
            }
            let state = state.clone();
            let shutdown_signal = shutdown_signal.clone();
            let configure = move |config: &mut ServiceConfig| {
                state(config);
                match kind {
                    ListenerKind::Main => routes::mount(config, served_routes, with_metrics),
                    ListenerKind::Metrics => routes::mount_metrics(config),
                }
            };
            let wait_for_shutdown = move || {
                let shutdown_signal = shutdown_signal.clone();
                async move { shutdown_signal.notified().await }
            };
            connection_service(address, configure, wait_for_shutdown, open_connections.clone())
        })?;
    }
    Ok(builder.run())
}

/// Returns a function that adds the state shared by all workers to an application.
fn configure_shared_state(
    app: Arc<App>,
    http_state: Arc<HttpState>,
) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
    let documents = Arc::new(Documents::new(routes::served_routes(http_state.has_pages), &http_state));
    // One MCP service for all threads.
    let mcp = Data::new(Mcp::new(app.clone(), http_state.clone(), documents.clone()));
    let app = Data::from(app);
    let http_state = Data::from(http_state);
    let documents = Data::from(documents);
    let assets = Data::<Assets>::default();
    let pages = Data::<PageCache>::default();
    let first_views = Data::<FirstViews>::default();
    let event_pages = Data::<EventPages>::default();
    move |config| {
        config.app_data(app.clone()).app_data(http_state.clone()).app_data(mcp.clone());
        config.app_data(documents.clone()).app_data(assets.clone());
        config.app_data(pages.clone()).app_data(first_views.clone());
        config.app_data(event_pages.clone());
    }
}

/// Returns the factory of the service for the connections of a worker. Must be called on the worker's thread.
fn connection_service<F: Future<Output = ()> + 'static>(
    address: SocketAddr,
    configure: impl FnOnce(&mut ServiceConfig),
    wait_for_shutdown: impl Fn() -> F + 'static,
    open_connections: Arc<OpenConnections>,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()> {
    let (reply_batcher, batch_loop) = ReplyBatcher::open();
    actix_web::rt::spawn(batch_loop);
    let application = ActixApp::new()
        .app_data(reply_batcher)
        .wrap(middleware::from_fn(response_headers::add_response_headers))
        .wrap(middleware::from_fn(lifecycle::track_lifecycle))
        .configure(configure);
    let http = HttpService::build()
        .keep_alive(timeouts::HEAD_TIMEOUT)
        .client_request_timeout(timeouts::HEAD_TIMEOUT)
        .client_disconnect_timeout(LINGER_TIMEOUT)
        .local_addr(address)
        .graceful_shutdown_signal(wait_for_shutdown)
        .on_connect_ext(|client_socket: &ClientSocket, data| {
            data.insert(client_socket.timeouts.clone());
        })
        .finish(map_config(application, |()| AppConfig::default()));
    let http = Rc::new(http);
    fn_factory(move || {
        let http = http.clone();
        let open_connections = open_connections.clone();
        async move {
            let http = Rc::new(http.new_service(()).await?);
            Ok(fn_service(move |socket: TcpStream| {
                let client = socket.peer_addr().ok();
                let connection = open_connections.register(Instant::now());
                let client_socket = ClientSocket::new(socket, connection.activity.clone());
                let timeouts = client_socket.timeouts.clone();
                serve_until_closed(http.call((client_socket, Protocol::Http1, client)), timeouts, connection)
            }))
        }
    })
}

/// Serves a connection until the client disconnects, a timeout expires, or the connection is closed as the
/// longest idle one to make room for another.
async fn serve_until_closed(
    exchange: impl Future<Output = Result<(), DispatchError>>,
    timeouts: Rc<ConnectionTimeouts>,
    connection: OpenConnection,
) -> Result<(), DispatchError> {
    let mut exchange = pin!(exchange);
    loop {
        tokio::select! {
            // The connection comes first: a request that has arrived ends its idle time.
            biased;
            ended = &mut exchange => return ended,
            () = connection.chosen_to_close() => {
                METRICS.connections.idle_closed.inc();
                return Ok(());
            }
            () = sleep(TIMEOUT_CHECK_INTERVAL) => {}
        }
        if timeouts.is_expired(Instant::now()) {
            return Ok(());
        }
    }
}
