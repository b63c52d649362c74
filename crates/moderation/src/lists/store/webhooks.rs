//! The SQL of the operators' list of webhooks.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgPool;
use utoipa::ToSchema;

use super::Result;

/// A webhook in the operators' list, without its secret and the rest of its address.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedWebhook {
    #[serde(skip)]
    pub no: i64,
    /// `hook_…`.
    pub id: String,
    /// The agent that has made it.
    pub agent_id: String,
    pub agent_name: String,
    /// The host of its address.
    pub host: String,
    pub events: Vec<String>,
    /// `active` or `disabled`.
    pub state: String,
    /// `gone`, `failing` or `secret_lost`; null unless the server has disabled it.
    pub disabled_reason: Option<String>,
    /// The number of failed attempts since the last success.
    pub failed_attempts: i32,
    pub failing_since: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// Returns the webhooks with numbers below `before`, newest first.
pub async fn list(pool: &PgPool, before: i64, limit: i64) -> Result<Vec<ListedWebhook>> {
    let statement = sqlx::query_as!(
        ListedWebhook,
        r#"select w.no, w.id, a.id as agent_id, a.name as agent_name, w.host, w.events, w.state,
                  w.disabled_reason, w.failed_attempts, w.failing_since, w.created_at
           from webhook w join agent a on a.no = w.agent where w.no < $1 order by w.no desc limit $2"#,
        before,
        limit
    );
    statement.fetch_all(pool).await
}
