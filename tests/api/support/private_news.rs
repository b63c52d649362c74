//! Listens to the notifications of private news.

use sqlx::postgres::PgListener;
use tokio::time::timeout;

use super::Server;

const CHANNEL: &str = "caraplace_private";
/// Follows everything that was notified before, and names no account.
const END: &str = "end";

/// A listener, as each instance has one.
pub struct PrivateNews<'a> {
    server: &'a Server,
    listener: PgListener,
}

impl Server {
    pub async fn listen_to_private_news(&self) -> PrivateNews<'_> {
        let mut listener = PgListener::connect_with(&self.pool).await.unwrap();
        listener.listen(CHANNEL).await.unwrap();
        PrivateNews { server: self, listener }
    }
}

impl PrivateNews<'_> {
    /// Returns the names of the accounts that were woken since the last call, each time in the order of their
    /// numbers.
    pub async fn woken(&mut self) -> Vec<String> {
        let end = sqlx::query("select pg_notify($1, $2)").bind(CHANNEL).bind(END);
        end.execute(&self.server.pool).await.unwrap();
        let mut woken = Vec::new();
        loop {
            let next = timeout(super::WAIT_LIMIT, self.listener.recv()).await;
            let next = next.expect("no notification comes").unwrap();
            if next.payload() == END {
                return woken;
            }
            for no in next.payload().split(' ').map(|no| no.parse::<i64>().unwrap()) {
                let name = sqlx::query_scalar("select name from agent where no = $1").bind(no);
                woken.push(name.fetch_one(&self.server.pool).await.unwrap());
            }
        }
    }
}
