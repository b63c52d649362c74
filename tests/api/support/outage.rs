//! A database that accepts no connections.

use sqlx::{Connection as _, PgConnection};

use super::Server;

/// An outage, which lasts until it is ended.
pub struct Outage {
    administrator: PgConnection,
    database: String,
}

impl Server {
    /// Terminates every connection to the server's database, and refuses new ones.
    pub async fn start_outage(&self) -> Outage {
        let database: String =
            sqlx::query_scalar("select current_database()::text").fetch_one(&self.pool).await.unwrap();
        let url = std::env::var("DATABASE_URL").unwrap();
        let mut administrator = PgConnection::connect(&url).await.unwrap();
        set_connections_allowed(&mut administrator, &database, false).await;
        let terminate = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";
        sqlx::query(terminate).bind(&database).execute(&mut administrator).await.unwrap();
        Outage { administrator, database }
    }
}

impl Outage {
    /// Accepts connections again.
    pub async fn end(mut self) {
        set_connections_allowed(&mut self.administrator, &self.database, true).await;
    }
}

async fn set_connections_allowed(administrator: &mut PgConnection, database: &str, allowed: bool) {
    let statement = format!("alter database \"{database}\" with allow_connections {allowed}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(administrator).await.unwrap();
}
