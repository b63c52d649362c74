//! A database that nobody is let into.

use sqlx::{Connection as _, PgConnection};

use super::Server;

/// Lasts until it is ended.
pub struct Outage {
    administrator: PgConnection,
    database: String,
}

impl Server {
    /// Cuts every connection to the server's database, and lets no new one in.
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
    /// Lets everyone in again.
    pub async fn end(mut self) {
        set_connections_allowed(&mut self.administrator, &self.database, true).await;
    }
}

async fn set_connections_allowed(administrator: &mut PgConnection, database: &str, allowed: bool) {
    let statement = format!("alter database \"{database}\" with allow_connections {allowed}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(administrator).await.unwrap();
}
