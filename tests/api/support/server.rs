//! A server per test.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace::server::log_check::check;
use caraplace::server::running_server::RunningServer;
use caraplace_accounts::agents::check::KnownPrice;
use caraplace_log::check::CheckReport;
use chrono::TimeDelta;
use platform::clock::Clock;
use platform::config::Config;
use reqwest::{Client, RequestBuilder};
use rules::numbers::Seq;
use serde_json::{Value, json};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, FromRow, PgPool, Postgres};

use super::database::Database;
use super::waiting::wait_for_value;
use super::{Agent, EventStream, Reply};

/// A running server with its database and its clock.
pub struct Server {
    pub clock: Clock,
    pub client: Client,
    pub pool: PgPool,
    database: Arc<Database>,
    settings: HashMap<String, String>,
    running: Option<RunningServer>,
}

impl Server {
    /// Starts with default settings, but without limits on requests, registrations, streams and messages per
    /// address.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts with these additional settings.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        Self::start_on(Arc::new(Database::create().await), Clock::default(), settings).await
    }

    /// Starts two instances on one database with these additional settings.
    pub async fn start_two_instances(settings: &[(&str, &str)]) -> [Self; 2] {
        let one = Self::start_with(settings).await;
        let other = one.start_instance(settings).await;
        [one, other]
    }

    /// Starts another instance on the same database with the same clock.
    pub async fn start_instance(&self, settings: &[(&str, &str)]) -> Self {
        Self::start_on(self.database.clone(), self.clock.clone(), settings).await
    }

    async fn start_on(database: Arc<Database>, clock: Clock, settings: &[(&str, &str)]) -> Self {
        let mut all_settings: HashMap<String, String> = HashMap::from([
            ("CARAPLACE_LISTEN".into(), "127.0.0.1:0".into()),
            ("CARAPLACE_REQUESTS_PER_MINUTE".into(), "0".into()),
            ("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE".into(), "0".into()),
            ("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY".into(), "0".into()),
            ("CARAPLACE_STREAMS_PER_IP".into(), "0".into()),
            ("CARAPLACE_ANNOUNCE_AGENTS".into(), "false".into()),
            // The first texts compile the patterns, which takes long on a busy machine.
            ("CARAPLACE_SECRETS_TIMEOUT_MS".into(), "10000".into()),
        ]);
        all_settings.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let running = start_server(&database.url, &clock, &all_settings).await;
        let pool = PgPool::connect(&database.url).await.unwrap();
        let client = https_client::builder().unwrap().build().unwrap();
        Self { clock, client, pool, database, settings: all_settings, running: Some(running) }
    }

    /// Restarts the server on the same database.
    pub async fn restart(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
        self.running = Some(start_server(&self.database.url, &self.clock, &self.settings).await);
    }

    /// Restarts the server with another value of a setting.
    pub async fn restart_with(&mut self, name: &str, value: &str) {
        self.settings.insert(name.to_owned(), value.to_owned());
        self.restart().await;
    }

    /// Stops the server, sets the clocks of the machine and of the database by this many seconds, and starts
    /// another process.
    pub async fn restart_process(&mut self, set_clocks_by: i64) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
        self.set_system_clocks(set_clocks_by);
        self.clock = self.clock.of_another_process();
        self.restart().await;
    }

    /// Sets the clocks of the machine and of the database by this many seconds, while monotonic clocks run
    /// on.
    pub fn set_system_clocks(&self, seconds: i64) {
        self.clock.set_system_clocks(TimeDelta::seconds(seconds));
    }

    /// Returns the address of the database.
    pub fn database_url(&self) -> &str {
        &self.database.url
    }

    /// Returns the internal state, for reading only.
    pub fn running(&self) -> &RunningServer {
        self.running.as_ref().unwrap()
    }

    /// Advances the clock.
    pub fn advance_clock(&self, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
    }

    /// Returns the number of database sessions of this server that wait for a lock.
    pub async fn count_lock_waits(&self) -> i64 {
        self.count_blocked_queries("%").await
    }

    /// Waits until at least this number of database sessions wait for a lock.
    pub async fn wait_for_lock_waits(&self, count: i64) {
        self.wait_for_blocked_queries("%", count).await;
    }

    /// Waits until at least this number of queries like this SQL pattern wait for a lock.
    pub async fn wait_for_blocked_queries(&self, pattern: &str, count: i64) {
        let read_count = async || self.count_blocked_queries(pattern).await;
        let failure = format!("{count} queries like {pattern} never wait for a lock");
        wait_for_value(read_count, |blocked: &i64| *blocked >= count, &failure).await;
    }

    /// Returns the number of queries like this SQL pattern that wait for a lock.
    async fn count_blocked_queries(&self, pattern: &str) -> i64 {
        let count = "select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like $1";
        sqlx::query_scalar(count).bind(pattern).fetch_one(&self.pool).await.unwrap()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running().address)
    }

    pub fn get_request(&self, path: &str) -> RequestBuilder {
        self.client.get(self.url(path))
    }

    pub fn post_request(&self, path: &str) -> RequestBuilder {
        self.client.post(self.url(path))
    }

    pub async fn get(&self, path: &str) -> Reply {
        Reply::fetch(self.get_request(path)).await
    }

    /// Returns this server's response to a read with an agent's key, or without a key.
    pub async fn get_as(&self, caller: Option<&Agent<'_>>, path: &str) -> Reply {
        match caller {
            Some(agent) => agent.on(self).get(path).await,
            None => self.get(path).await,
        }
    }

    /// Returns the response to a read with these headers.
    pub async fn get_with_headers(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let add = |request: RequestBuilder, (name, value): &(&str, &str)| request.header(*name, *value);
        Reply::fetch(headers.iter().fold(self.get_request(path), add)).await
    }

    /// Loads a page as a browser does. Returns its status and text.
    pub async fn page(&self, path: &str) -> (u16, String) {
        let reply = Reply::fetch(self.get_request(path).header("Accept", "text/html")).await;
        (reply.status, reply.text().to_owned())
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        Reply::fetch(self.post_request(path).json(&body)).await
    }

    /// Registers agents with these names.
    pub async fn register_agents<const N: usize>(&self, names: [&str; N]) -> [Agent<'_>; N] {
        let mut agents = Vec::with_capacity(N);
        for name in names {
            agents.push(self.register_agent(name).await);
        }
        agents.try_into().ok().unwrap()
    }

    /// Registers an agent with this name.
    pub async fn register_agent(&self, name: &str) -> Agent<'_> {
        self.register_profile(json!({"name": name})).await
    }

    /// Registers an agent with a name and texts about itself.
    pub async fn register_profile(&self, profile: Value) -> Agent<'_> {
        self.registered_agent(&self.post("/api/agents/register", profile).await.assert_status(201))
    }

    /// Registers an agent with this name from an address of its own.
    pub async fn register_agent_from(&self, name: &str, address: &str) -> Agent<'_> {
        let request = self.post_request("/api/agents/register").header("X-Forwarded-For", address);
        self.registered_agent(&Reply::fetch(request.json(&json!({"name": name}))).await.assert_status(201))
    }

    fn registered_agent(&self, registered: &Value) -> Agent<'_> {
        let [id, key] =
            ["id", "api_key"].map(|field| registered["agent"][field].as_str().unwrap().to_owned());
        Agent { server: self, id, key }
    }

    /// Tries to register an agent with this name. Returns the reply.
    pub async fn try_register_agent(&self, name: &str) -> Reply {
        self.post("/api/agents/register", json!({"name": name})).await
    }

    /// Returns a client with this key. Its id is empty: use it only for requests.
    pub fn client_with_key(&self, key: &str) -> Agent<'_> {
        Agent { server: self, id: String::new(), key: key.to_owned() }
    }

    /// Returns the current digest of the chat.
    pub async fn digest(&self) -> String {
        self.get("/api/chat/digest").await.body["digest"].as_str().unwrap().to_owned()
    }

    /// Returns the number of the newest event in the database.
    pub async fn head(&self) -> i64 {
        sqlx::query_scalar("select seq from log_head").fetch_one(&self.pool).await.unwrap()
    }

    /// Opens the event stream, from the head or after a number.
    pub async fn events(&self, since: Option<i64>) -> EventStream {
        let path = since.map_or("/api/events".to_owned(), |since| format!("/api/events?since={since}"));
        EventStream::open(self.get_request(&path)).await
    }

    /// Compares the log with what is derived from it, as `caraplace check` does.
    pub async fn check_log(&self, price: KnownPrice) -> CheckReport {
        let mut connection = self.pool.acquire().await.unwrap();
        check(&mut connection, price, |_, _| {}).await.unwrap()
    }

    /// Asserts that the log agrees with what is derived from it.
    pub async fn assert_log_is_sound(&self) {
        let report = self.check_log(None).await;
        assert_eq!(report.difference_count(), 0, "{report}");
    }

    /// Returns the number of rows of a table.
    pub async fn count_rows(&self, table: &str) -> i64 {
        let query = AssertSqlSafe(format!("select count(*) from {table}"));
        sqlx::query_scalar(query).fetch_one(&self.pool).await.unwrap()
    }

    /// Returns the only value that a query selects.
    pub async fn fetch_scalar<T>(&self, query: &'static str) -> T
    where
        T: Send + Unpin,
        (T,): for<'r> FromRow<'r, PgRow>,
    {
        sqlx::query_scalar::<Postgres, T>(query).fetch_one(&self.pool).await.unwrap()
    }

    /// Returns all values that a query selects.
    pub async fn fetch_scalars<T>(&self, query: &'static str) -> Vec<T>
    where
        T: Send + Unpin,
        (T,): for<'r> FromRow<'r, PgRow>,
    {
        sqlx::query_scalar::<Postgres, T>(query).fetch_all(&self.pool).await.unwrap()
    }

    /// Returns the number that is the only result of a query.
    pub async fn fetch_number(&self, query: &'static str) -> i64 {
        self.fetch_scalar(query).await
    }

    /// Executes SQL statements, separated by semicolons.
    pub async fn execute(&self, statements: &str) {
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(&self.pool).await.unwrap();
    }

    /// Makes this instance apply all events that any instance has written.
    pub async fn catch_up(&self) {
        let head = self.head().await;
        assert!(self.running().state.log.has_reached(Seq(head)).await.unwrap());
    }
}

async fn start_server(
    database_url: &str,
    clock: &Clock,
    settings: &HashMap<String, String>,
) -> RunningServer {
    let config = Config::read(|name| settings.get(name).cloned()).unwrap();
    RunningServer::start(config, database_url, clock.clone()).await.unwrap()
}
