//! A server from its start to its stop: database, log, and HTTP on top.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use actix_web::dev::ServerHandle;

use super::state::HttpState;
use super::transport::accept;
use crate::app::App;
use crate::chat::filters::Filters;
use crate::clock::Clock;
use crate::config::{Config, WordListError};
use crate::database::{self, DatabaseError};
use crate::gallery::Gallery;
use crate::gallery::mail::MailError;
use crate::log::LogTasks;
use crate::log::error::LogError;
use crate::state::AppState;
use crate::tasks::{self, SWEEP, Tasks};
use crate::telemetry::event_loops;

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("Mail cannot be sent ({0}). Check SMTP_URL and CARAPLACE_MAIL_FROM.")]
    Mail(#[from] MailError),
    #[error("The log could not be read ({0}). Check the database, then start again.")]
    Log(#[from] LogError),
    #[error("{address} cannot be listened on ({error}). Set CARAPLACE_LISTEN to a free address.")]
    Listen { address: SocketAddr, error: std::io::Error },
    #[error("{address} cannot be listened on ({error}). Set CARAPLACE_METRICS_LISTEN to a free address.")]
    ListenForMetrics { address: SocketAddr, error: std::io::Error },
    #[error(transparent)]
    Words(#[from] WordListError),
}

/// A server that runs.
pub struct Running {
    pub state: Arc<AppState>,
    pub door: Arc<HttpState>,
    /// What it listens on; the port is real even where 0 was asked for.
    pub address: SocketAddr,
    /// The address that serves the metrics; `None` if the main listener serves them.
    pub metrics_address: Option<SocketAddr>,
    handle: ServerHandle,
    server: tokio::task::JoinHandle<std::io::Result<()>>,
    log_tasks: LogTasks,
    tasks: Tasks,
}

impl Running {
    /// Listens where the settings say, then serves as [`Running::on`] does.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub async fn start(config: Config, database_url: &str, clock: Clock) -> Result<Self, StartError> {
        let listener = listen(config.listen)?;
        Self::on(listener, config, database_url, clock).await
    }

    /// Opens the log in this database and serves it.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub async fn on(
        listener: TcpListener,
        config: Config,
        database_url: &str,
        clock: Clock,
    ) -> Result<Self, StartError> {
        let config = config.with_words()?;
        let address = listener.local_addr().unwrap_or(config.listen);
        let metrics = config.network.metrics_listen.map(listen_for_metrics).transpose()?;
        let metrics_address = metrics.as_ref().and_then(|listener| listener.local_addr().ok());
        let pool = database::open(database_url).await?;
        let (state, log_tasks) = AppState::open(pool, clock, &config).await?;
        let door = Arc::new(HttpState::new(&config, address));
        let gallery = Gallery::open(&state, &config.payments, &door.base_url)?;
        let mut app = App::new(state.clone(), Filters::of(&state), gallery, &config);
        app.operators.load_keys(&state).await.map_err(LogError::from)?;
        let app = Arc::new(app);
        let heats = app.heats.clone();
        let server = accept::serve(&app, &door, listener, metrics)
            .map_err(|error| StartError::Listen { address, error })?;
        let handle = server.handle();
        let mut tasks = Tasks::start(&state);
        tasks.start_one(event_loops::watch("main".to_owned()));
        tasks.start_one(tasks::keep_heat(state.clone(), heats));
        tasks.start_one(tasks::turn_passes(app.clone()));
        tasks.start_one(follow_settings(app.clone(), door.clone()));
        let (limits, messages, clock) = (door.clone(), app.address_limiter.clone(), state.clock.clone());
        tasks.every(SWEEP, move || {
            limits.limits.sweep();
            limits.guesses.sweep();
            messages.sweep(clock.now());
        });
        let server = tokio::spawn(server);
        Ok(Self { state, door, address, metrics_address, handle, server, log_tasks, tasks })
    }

    /// Returns when a task that the game cannot go on without has ended, which it never should.
    pub async fn failed(&mut self) {
        tokio::select! {
            _ = &mut self.log_tasks.gate => {}
            _ = &mut self.log_tasks.follower => {}
            _ = &mut self.server => {}
        }
    }

    /// Takes nothing new, answers what was taken, ends the streams and closes the database.
    pub async fn stop(self) {
        self.state.hub.close();
        self.handle.stop(true).await;
        if !self.server.is_finished() {
            let _ = self.server.await;
        }
        drop(self.tasks);
        self.state.close(&self.log_tasks).await;
    }
}

/// Filters and limits do as the settings say, whenever those change.
async fn follow_settings(app: Arc<App>, door: Arc<HttpState>) {
    let mut settings = app.state.settings.subscribe();
    loop {
        let chosen = settings.borrow_and_update().clone();
        door.limits.follow(&chosen.live);
        app.filters.follow(&chosen.live).await;
        if settings.changed().await.is_err() {
            return;
        }
    }
}

/// Takes the address, before anything that takes longer is begun.
///
/// # Errors
/// That it cannot be listened on.
pub fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).map_err(|error| StartError::Listen { address, error })
}

fn listen_for_metrics(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).map_err(|error| StartError::ListenForMetrics { address, error })
}
