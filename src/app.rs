//! Everything a running server holds, put together and taken apart in the right order.

use std::net::SocketAddr;
use std::sync::Arc;

use actix_web::dev::{Server, ServerHandle};
use actix_web::web::Data;
use actix_web::{App as ActixApp, HttpServer, middleware};
use ipnet::IpNet;

use crate::canvas::bodies::Bodies;
use crate::chat::filters::Filters;
use crate::chat::read::FrontPage;
use crate::clock::Clock;
use crate::config::Config;
use crate::database::{self, DatabaseError};
use crate::http::limits::Limits;
use crate::http::{self, Assets, InFlight, SkillFiles};
use crate::log::{Log, LogTasks};
use crate::rules::profanity::{Profanity, WordList};
use crate::rules::redact::KnownTokens;
use crate::tasks::Tasks;

/// What every request can reach.
pub struct App {
    pub log: Arc<Log>,
    pub filters: Filters,
    pub bodies: Bodies,
    pub front_page: FrontPage,
    pub limits: Limits,
    pub in_flight: InFlight,
    pub assets: Assets,
    pub skill_files: SkillFiles,
    /// Where agents are told that the server is, without a slash at the end.
    pub base_url: String,
    pub trusted_proxies: Vec<IpNet>,
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("The log could not be read ({0}). Check the database, then start again.")]
    Log(#[from] sqlx::Error),
    #[error("{address} cannot be listened on ({error}). Set CARAPLACE_LISTEN to a free address.")]
    Listen { address: SocketAddr, error: std::io::Error },
    #[error("The word list {path} cannot be read ({error}). Check CARAPLACE_WORDS_FILE.")]
    Words { path: String, error: std::io::Error },
}

/// A server that runs.
pub struct Running {
    pub app: Arc<App>,
    /// What it listens on; the port is real even where 0 was asked for.
    pub address: SocketAddr,
    handle: ServerHandle,
    server: tokio::task::JoinHandle<std::io::Result<()>>,
    log_tasks: LogTasks,
    tasks: Tasks,
}

/// How long open requests have to end when the server stops, in seconds.
const FAREWELL: u64 = 5;
/// How long a client may take to send its head.
const HEAD_PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

impl Running {
    /// Opens the log in this database and serves it.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub async fn start(config: Config, database_url: &str, clock: Clock) -> Result<Self, StartError> {
        let filters = filters(&config)?;
        let listener = listen(config.listen)?;
        let address = listener.local_addr().unwrap_or(config.listen);
        let pool = database::open(database_url).await?;
        let (log, log_tasks) = Log::open(pool, clock, &config).await?;
        let app = Arc::new(App::new(&config, log, filters, address));
        let server = serve(app.clone(), listener).map_err(|error| StartError::Listen { address, error })?;
        let handle = server.handle();
        let tasks = Tasks::start(&app);
        Ok(Self { app, address, handle, server: tokio::spawn(server), log_tasks, tasks })
    }

    /// Takes nothing new, answers what was taken, ends the streams and closes the database.
    pub async fn stop(self) {
        self.app.log.hub.close();
        self.handle.stop(true).await;
        let _ = self.server.await;
        drop(self.tasks);
        self.log_tasks.follower.abort();
        self.log_tasks.gate.abort();
        self.app.log.pool.close().await;
    }
}

impl App {
    fn new(config: &Config, log: Arc<Log>, filters: Filters, address: SocketAddr) -> Self {
        let base_url = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let skill_files = log.snapshot(|world| SkillFiles::render(config, &world.season, &base_url));
        Self {
            log,
            filters,
            bodies: Bodies::default(),
            front_page: FrontPage::default(),
            limits: Limits::new(config),
            in_flight: InFlight::default(),
            assets: Assets::default(),
            skill_files,
            base_url,
            trusted_proxies: config.trusted_proxies.clone(),
        }
    }
}

fn filters(config: &Config) -> Result<Filters, StartError> {
    let words = match &config.words_file {
        Some(path) => {
            let unreadable = |error| StartError::Words { path: path.display().to_string(), error };
            WordList::parse(&std::fs::read_to_string(path).map_err(unreadable)?)
        }
        None => WordList::default(),
    };
    let profanity = Arc::new(Profanity::new(&words));
    Ok(Filters::new(Arc::new(KnownTokens), profanity, &config.game))
}

fn listen(address: SocketAddr) -> Result<std::net::TcpListener, StartError> {
    std::net::TcpListener::bind(address).map_err(|error| StartError::Listen { address, error })
}

fn serve(app: Arc<App>, listener: std::net::TcpListener) -> std::io::Result<Server> {
    let data = Data::from(app);
    let factory = move || {
        ActixApp::new().app_data(data.clone()).wrap(middleware::from_fn(http::dress)).configure(http::mount)
    };
    let server = HttpServer::new(factory)
        .client_request_timeout(HEAD_PATIENCE)
        .shutdown_timeout(FAREWELL)
        .disable_signals()
        .listen(listener)?;
    Ok(server.run())
}
