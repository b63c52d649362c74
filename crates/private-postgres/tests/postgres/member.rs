//! Processes that use a data folder: this test binary runs itself in the roles that the program has.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use private_postgres::{PrivatePostgres, UnsupervisedPostgres, session_name};
use rustix::process::Signal;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal as listen};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::postmaster::signal;

const ROLE: &str = "PRIVATE_POSTGRES_TEST_ROLE";
const DATA_DIR: &str = "PRIVATE_POSTGRES_TEST_MEMBER_DATA_DIR";
const DEADLINE: Duration = Duration::from_mins(1);
/// A part of the log line of a process that leaves PostgreSQL running.
const LEFT_RUNNING: &str = "PostgreSQL is left running because others use it";

/// The way in which a process uses the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A server on the data folder, which supervises PostgreSQL.
    Folder,
    /// A server with `DATABASE_URL=$(cat database_url)`.
    Address,
    /// A command such as `caraplace admin audit` or `caraplace check`.
    Verb,
}

/// A process in one of these roles.
pub struct MemberProcess {
    child: Child,
    input: ChildStdin,
    output_lines: Lines<BufReader<ChildStdout>>,
    log: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl MemberProcess {
    /// Starts a process and waits until it has its database.
    pub async fn start(role: Role, data: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["member::member_process", "--exact", "--ignored", "--nocapture"])
            .env(ROLE, format!("{role:?}"))
            .env(DATA_DIR, data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let log_writer = log.clone();
        let reader = tokio::spawn(async move {
            while let Ok(Some(line)) = errors.next_line().await {
                log_writer.lock().push_str(&(line + "\n"));
            }
        });
        let orders = child.stdin.take().unwrap();
        let mut member = Self { child, input: orders, output_lines: answers, log, reader };
        member.wait_for_line("ready").await;
        member
    }

    /// Asserts that the process can still write to the database.
    pub async fn assert_can_write(&mut self) {
        self.input.write_all(b"write\n").await.unwrap();
        self.wait_for_line("written").await;
    }

    /// Tells the process to stop.
    pub fn send_stop_signal(&self) {
        signal(self.child.id().unwrap(), Signal::TERM);
    }

    /// Waits until it has ended. Returns true if it logged that PostgreSQL is left running.
    pub async fn wait_for_exit(mut self) -> bool {
        let status = timeout(DEADLINE, self.child.wait()).await.expect("the process did not end").unwrap();
        self.reader.await.unwrap();
        assert!(ExitStatus::success(&status), "{}", self.log.lock());
        self.log.lock().contains(LEFT_RUNNING)
    }

    /// Kills the process.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    async fn wait_for_line(&mut self, word: &str) {
        let has_line = async {
            loop {
                match self.output_lines.next_line().await.unwrap() {
                    Some(line) if line.ends_with(word) => return true,
                    Some(_) => {}
                    None => return false,
                }
            }
        };
        assert!(timeout(DEADLINE, has_line).await.unwrap(), "{word} was not said: {}", self.log.lock());
    }
}

#[tokio::test]
#[ignore = "not a test: the process that Member::start starts"]
async fn member_process() {
    let (Ok(role), Ok(data)) = (std::env::var(ROLE), std::env::var(DATA_DIR)) else { return };
    tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).init();
    let mut stop = listen(SignalKind::terminate()).unwrap();
    let database = Database::open(&role, &PathBuf::from(data)).await;
    let options: PgConnectOptions = database.url().parse().unwrap();
    let options = options.application_name(session_name());
    let mut connection = options.connect().await.unwrap();
    sqlx::raw_sql("create table if not exists entry (n int)").execute(&mut connection).await.unwrap();
    println!("ready");
    let mut write_requests = read_write_requests();
    loop {
        tokio::select! {
            Some(()) = write_requests.recv() => insert_row(&mut connection).await,
            _ = stop.recv() => break,
        }
    }
    database.release().await;
}

/// Receives a value for each line of standard input.
fn read_write_requests() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        std::io::stdin().lines().map_while(Result::ok).try_for_each(|_| sender.send(()))
    });
    receiver
}

async fn insert_row(connection: &mut PgConnection) {
    connection.ping().await.unwrap();
    sqlx::query("insert into entry values (1)").execute(connection).await.unwrap();
    println!("written");
}

/// The database of a process, opened as the program does in each role.
enum Database {
    Supervised(PrivatePostgres),
    Unsupervised(UnsupervisedPostgres),
}

impl Database {
    async fn open(role: &str, data: &Path) -> Self {
        match role {
            "Folder" => Self::Supervised(PrivatePostgres::start(data).await.unwrap()),
            "Verb" => {
                let opened = UnsupervisedPostgres::open_unless(data, std::future::pending()).await;
                Self::Unsupervised(opened.unwrap().unwrap())
            }
            _ => {
                let url = crate::postmaster::database_url(data);
                Self::Unsupervised(UnsupervisedPostgres::join_by_url(&url).await.unwrap())
            }
        }
    }

    fn url(&self) -> &str {
        match self {
            Self::Supervised(postgres) => postgres.url(),
            Self::Unsupervised(postgres) => postgres.url(),
        }
    }

    async fn release(self) {
        match self {
            Self::Supervised(postgres) => postgres.release().await.unwrap(),
            Self::Unsupervised(postgres) => postgres.release().await.unwrap(),
        }
    }
}
