//! Creates the webhooks of the agents, which call the receiver of this program.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::net::TcpListener;

use crate::{
    api_types::{Account, Single},
    client::ApiRequest,
    crews::receiver::Deliveries,
    failure::Failure,
    run_context::RunContext,
};

/// The events of which the agents are told.
const EVENTS: [&str; 2] = ["ask", "direct"];

/// Starts the receiver, and creates a webhook of each agent. The path is the agent's index.
pub async fn open_webhooks(context: &RunContext, deliveries: &Arc<Deliveries>) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("the receiver of webhooks")?;
    let address = listener.local_addr()?;
    tokio::spawn(deliveries.clone().serve(listener));
    for (agent, account) in context.accounts.iter().enumerate() {
        let url = format!("http://{address}/{agent}");
        let secret = create_webhook(context, account, &url).await.context(
            "a webhook was not created; start the server with CARAPLACE_WEBHOOK_ALLOW=127.0.0.0/8",
        )?;
        if !deliveries.set_secret(agent, &secret) {
            bail!("the server returned a secret that is none");
        }
    }
    Ok(())
}

/// Creates a webhook. Returns its secret.
async fn create_webhook(context: &RunContext, account: &Account, url: &str) -> Result<String, Failure> {
    let request = ApiRequest::post("/api/webhooks", &json!({"url": url, "events": EVENTS}))
        .with_api_key(&account.api_key);
    let response = context.fetch::<Single<String>>(&request).await?;
    Ok(response.body.item)
}
