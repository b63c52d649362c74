//! Starts and stops a server: database, event log and HTTP.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use caraplace_accounts::filters::Filters;
use caraplace_accounts::gallery::Gallery;
use caraplace_accounts::gallery::mail::MailError;
use caraplace_companion::app::App;
use caraplace_companion::guide::Guide;
use caraplace_companion::guide::model::ModelSetupError;
use caraplace_http::state::HttpState;
use caraplace_log::LogTasks;
use caraplace_log::error::LogError;
use caraplace_log::state::AppState;
use caraplace_news::notices::{NoticeSetupError, Notices};
use caraplace_news::notifications::Notifications;
use caraplace_news::webhooks::Webhooks;
use caraplace_web::page_files;
use platform::background_tasks::{BackgroundTasks, CLEANUP_INTERVAL};
use platform::clock::Clock;
use platform::config::{Config, SettingFileError};
use platform::database::{self, DatabaseError};
use platform::telemetry::event_loops;

use super::accept;
use crate::server::{erasure, nouns, retention, tasks};

/// The error of a server that cannot start, as a sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("Mail cannot be sent ({0}). Check SMTP_URL and CARAPLACE_MAIL_FROM.")]
    Mail(#[from] MailError),
    #[error("Webhooks cannot be sent: there is no HTTP client. Check the root certificates of this machine.")]
    WebhookClient,
    #[error(transparent)]
    Notices(#[from] NoticeSetupError),
    #[error(transparent)]
    Model(#[from] ModelSetupError),
    #[error("The event log cannot be read ({0}). Check the database, then start again.")]
    Log(#[from] LogError),
    #[error("Cannot listen on {address} ({error}). Set CARAPLACE_LISTEN to a free address.")]
    Listen { address: SocketAddr, error: std::io::Error },
    #[error("Cannot listen on {address} ({error}). Set CARAPLACE_METRICS_LISTEN to a free address.")]
    ListenForMetrics { address: SocketAddr, error: std::io::Error },
    #[error(transparent)]
    SettingFile(#[from] SettingFileError),
}

/// A running server.
pub struct RunningServer {
    pub state: Arc<AppState>,
    pub http_state: Arc<HttpState>,
    /// The address of the main listener, with the real port even if port 0 was set.
    pub address: SocketAddr,
    /// The address that serves the metrics; `None` if the main listener serves them.
    pub metrics_address: Option<SocketAddr>,
    handle: ServerHandle,
    guide: Option<Arc<Guide>>,
    server: tokio::task::JoinHandle<std::io::Result<()>>,
    log_tasks: LogTasks,
    tasks: BackgroundTasks,
}

impl RunningServer {
    /// Listens on the address in the settings, then starts like [`RunningServer::start_on`], but warms up no
    /// filters: each pattern is compiled when a text needs it.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub async fn start(config: Config, database_url: &str, clock: Clock) -> Result<Self, StartError> {
        let listener = bind(config.listen)?;
        Self::open(listener, config, database_url, clock, false).await
    }

    /// Opens the event log in this database and starts to serve requests. The server is not ready until its
    /// filters are warm.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub async fn start_on(
        listener: TcpListener,
        config: Config,
        database_url: &str,
        clock: Clock,
    ) -> Result<Self, StartError> {
        Self::open(listener, config, database_url, clock, true).await
    }

    async fn open(
        listener: TcpListener,
        config: Config,
        database_url: &str,
        clock: Clock,
        warms_up: bool,
    ) -> Result<Self, StartError> {
        let config = config.with_files()?;
        if config.page_sources {
            page_files::use_sources();
        }
        let address = listener.local_addr().unwrap_or(config.listen);
        let metrics = config.network.metrics_listen.map(bind_for_metrics).transpose()?;
        let metrics_address = metrics.as_ref().and_then(|listener| listener.local_addr().ok());
        let pool = database::open(database_url).await?;
        let (state, log_tasks) = AppState::open(pool, clock, &config, &nouns::NOUNS).await?;
        let http_state = Arc::new(HttpState::new(&config, address));
        let gallery = Gallery::open(&state, &config.payments, &http_state.base_url)?;
        let notifications = Arc::new(Notifications::open(&config, &http_state.base_url)?);
        let notices = Notices::open(&config, &http_state.base_url)?;
        let webhooks = Arc::new(
            Webhooks::open(&config, &http_state.base_url, &state.tokens).ok_or(StartError::WebhookClient)?,
        );
        let guide = Guide::open(&config.guide)?;
        let filters = Filters::from_state(&state).keeping_links_to(Some(&http_state.base_url));
        let filters = if warms_up { filters.to_be_warmed_up() } else { filters };
        let mut app = App::new(state.clone(), filters, gallery, notifications, webhooks, guide, &config);
        app.operators.load_keys(&state).await.map_err(LogError::from)?;
        let app = Arc::new(app);
        let heatmaps = app.heatmaps.clone();
        let server = accept::serve(&app, &http_state, listener, metrics)
            .map_err(|error| StartError::Listen { address, error })?;
        let handle = server.handle();
        let mut tasks = tasks::start(&state);
        tasks.spawn(event_loops::watch("main".to_owned()));
        tasks.spawn_staggered(tasks::store_heatmaps(state.clone(), heatmaps));
        tasks.spawn_staggered(tasks::update_passes(app.clone()));
        tasks.spawn_staggered(tasks::run_stripe_jobs(app.clone()));
        app.notifications.start(&state, &mut tasks);
        app.webhooks.start(&state, &mut tasks);
        notices.start(&state, &mut tasks);
        tasks.spawn_staggered(tasks::store_key_uses(app.clone()));
        tasks.spawn_staggered(erasure::run(app.clone()));
        tasks.spawn_staggered(retention::run(state.clone()));
        tasks.spawn(apply_setting_changes(app.clone(), http_state.clone()));
        let sweep_state = http_state.clone();
        let address_limiter = app.address_limiter.clone();
        let clock = state.clock.clone();
        tasks.spawn_periodic(CLEANUP_INTERVAL, move || {
            sweep_state.rate_limits.sweep();
            sweep_state.auth_throttle.sweep();
            address_limiter.sweep(clock.now());
        });
        let server = tokio::spawn(server);
        Ok(Self {
            state,
            http_state,
            address,
            metrics_address,
            handle,
            guide: app.guide.clone(),
            server,
            log_tasks,
            tasks,
        })
    }

    /// Completes if an essential task has ended, which should never happen.
    pub async fn wait_for_failure(&mut self) {
        tokio::select! {
            _ = &mut self.log_tasks.writer => {}
            _ = &mut self.log_tasks.follower => {}
            _ = &mut self.server => {}
        }
    }

    /// Tells balancers and clients that the server will stop, while it goes on to serve them.
    pub fn start_draining(&self) {
        self.http_state.start_draining();
    }

    /// Ends the streams, stops accepting requests, finishes the open ones, ends the turns of the guide and
    /// closes the database.
    pub async fn stop(self) {
        self.state.hub.close();
        self.handle.stop(true).await;
        if !self.server.is_finished() {
            let _ = self.server.await;
        }
        // From here on no request begins a turn.
        if let Some(guide) = &self.guide {
            guide.stop().await;
        }
        drop(self.tasks);
        self.state.close(&self.log_tasks).await;
    }
}

/// Warms up the filters, then applies changed settings to them and to rate limits.
async fn apply_setting_changes(app: Arc<App>, http_state: Arc<HttpState>) {
    if app.filters.is_warming_up() {
        app.filters.warm_up().await;
    }
    let mut settings = app.state.settings.subscribe();
    loop {
        let current = settings.borrow_and_update().clone();
        http_state.rate_limits.apply_settings(&current.values);
        app.filters.update_settings(&current.values).await;
        if settings.changed().await.is_err() {
            return;
        }
    }
}

/// Binds the address, before any slower step of the start.
///
/// # Errors
/// `Listen` if the address cannot be bound.
pub fn bind(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).map_err(|error| StartError::Listen { address, error })
}

fn bind_for_metrics(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).map_err(|error| StartError::ListenForMetrics { address, error })
}
