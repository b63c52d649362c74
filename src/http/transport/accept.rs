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
use actix_web::dev::{
    AppConfig, Server, Service as _, ServiceFactory, ServiceRequest, ServiceResponse, fn_factory, fn_service,
};
use actix_web::web::Data;
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

/// The state that the workers of both listeners share.
#[derive(Clone)]
struct Shared {
    app: Data<App>,
    door: Data<HttpState>,
    mcp: Data<Mcp>,
    documents: Data<Documents>,
    assets: Data<Assets>,
    pages: Data<PageCache>,
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
    // The protocol's own part is one for all threads.
    let documents = Data::new(Documents::new(&routes::ROUTES, door.base_url.clone()));
    let mcp = Data::new(Mcp::new(app.clone(), door.clone(), documents.clone().into_inner()));
    let shared = Shared {
        app: Data::from(app.clone()),
        door: Data::from(door.clone()),
        mcp,
        documents,
        assets: Data::default(),
        pages: Data::default(),
    };
    let open = OpenConnections::new(door.capacity.connections, door.capacity.accepted());
    METRICS.connections.most.set(door.capacity.connections as i64);
    METRICS.streams.most.set(door.capacity.streams as i64);
    let workers = Arc::new(AtomicUsize::new(0));
    let connections = |site: Site, address: SocketAddr| {
        let (shared, stopping) = (shared.clone(), stopping.clone());
        let (open, workers) = (open.clone(), workers.clone());
        move || {
            // Called once for each site on each worker's own thread.
            if matches!(site, Site::Main) {
                let worker = format!("http-{}", workers.fetch_add(1, Ordering::Relaxed));
                actix_web::rt::spawn(event_loops::watch(worker));
            }
            let stopping = stopping.clone();
            let stopping = move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            };
            let http = HttpService::build()
                .keep_alive(timeouts::HEAD)
                .client_request_timeout(timeouts::HEAD)
                .client_disconnect_timeout(LINGER)
                .local_addr(address)
                .graceful_shutdown_signal(stopping)
                .on_connect_ext(|wire: &Wire, data| {
                    data.insert(wire.patience.clone());
                })
                .finish(map_config(mounted(site, &shared), |()| AppConfig::default()));
            attended(http, open.clone())
        }
    };
    for (site, listener) in [(Site::Main, Some(main)), (Site::Metrics, metrics)] {
        let Some(listener) = listener else { continue };
        let address = listener.local_addr()?;
        // The standard library asks for 128: a burst would lose connections, and each lost one waits a second.
        SockRef::from(&listener).listen(BACKLOG)?;
        builder = builder.listen(format!("{site:?}"), listener, connections(site, address))?;
    }
    Ok(builder.run())
}

/// Builds the application that a listener serves.
fn mounted(
    site: Site,
    shared: &Shared,
) -> ActixApp<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<lifecycle::Answering>,
        Error = actix_web::Error,
        InitError = (),
    > + use<>,
> {
    // Called once on each worker's own thread, where its desk must be served.
    let (desk, serving) = Desk::open();
    actix_web::rt::spawn(serving);
    let with_metrics = !shared.door.metrics.has_own_listener();
    ActixApp::new()
        .app_data(shared.app.clone())
        .app_data(shared.door.clone())
        .app_data(shared.mcp.clone())
        .app_data(shared.documents.clone())
        .app_data(shared.assets.clone())
        .app_data(shared.pages.clone())
        .app_data(desk)
        .wrap(middleware::from_fn(headers::dress))
        .wrap(middleware::from_fn(lifecycle::follow))
        .configure(|config| match site {
            Site::Main => routes::mount(config, with_metrics),
            Site::Metrics => routes::mount_metrics(config),
        })
}

/// HTTP on sockets that are looked after.
fn attended<S>(
    http: S,
    open: Arc<OpenConnections>,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()>
where
    S: ServiceFactory<
            (Wire, Protocol, Option<SocketAddr>),
            Config = (),
            Response = (),
            Error = DispatchError,
            InitError = (),
        > + 'static,
    S::Service: 'static,
{
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
