//! Founds the crews of a run: the first agent of each founds it, and the others join.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::de::IgnoredAny;
use serde_json::json;

use crate::{
    agents,
    api_types::{Account, Page, Single},
    client::ApiRequest,
    crews::{Crew, CrewRun, PrivateLedger, api_types::CrewInfo, receiver::Deliveries, webhooks},
    failure::Failure,
    names,
    rng::{self, RngPurpose},
    run_context::RunContext,
    stop::pause,
};

/// The maximum number of members of a crew.
const MAX_MEMBERS: usize = 50;
/// Maximum number of requests for one crew.
const MAX_ATTEMPTS: u32 = 40;
/// Maximum number of agents that join at the same time.
const MAX_CONCURRENT_JOINS: usize = 8;
/// Pause before a crew whose request got no response is looked up.
const LOOKUP_DELAY: Duration = Duration::from_millis(500);

/// Founds the crews of a run. Agent `i` is a member of crew `i` modulo their number.
pub async fn found_crews(context: &RunContext, count: usize) -> Result<CrewRun> {
    let agents = context.accounts.len();
    if !(2 * count..=MAX_MEMBERS * count).contains(&agents) {
        bail!("{agents} agents cannot be in {count} crews of 2 to {MAX_MEMBERS} members");
    }
    let mut crews = Vec::new();
    for index in 0..count {
        let members: Vec<usize> = (index..agents).step_by(count).collect();
        crews.push(found_with_members(context, members).await.context("a crew was not founded")?);
    }
    let stranger = agents::register_agent(context, agents).await?;
    let deliveries = if context.args.webhooks {
        let deliveries = Arc::new(Deliveries::new(agents));
        webhooks::open_webhooks(context, &deliveries).await?;
        Some(deliveries)
    } else {
        None
    };
    Ok(CrewRun { crews, stranger, ledger: PrivateLedger::default(), deliveries })
}

async fn found_with_members(context: &RunContext, members: Vec<usize>) -> Result<Crew, Failure> {
    let crew = found_crew(context, members[0]).await?;
    let joins = members[1..].iter().map(|member| join(context, &context.accounts[*member], &crew.id));
    stream::iter(joins).buffer_unordered(MAX_CONCURRENT_JOINS).try_collect::<()>().await?;
    Ok(Crew { id: crew.id, name: crew.name, members })
}

/// Founds a crew. A request whose outcome is unknown may have founded it, so it is looked up before the next
/// one.
async fn found_crew(context: &RunContext, index: usize) -> Result<CrewInfo, Failure> {
    let founder = &context.accounts[index];
    let mut rng = rng::seeded(context.seed, RngPurpose::Crew, index);
    let mut attempts = 0;
    loop {
        let name = names::name(&mut rng, attempts);
        let body = json!({"name": name, "visibility": "open"});
        let request = ApiRequest::post("/api/crews", &body).with_api_key(&founder.api_key);
        attempts += 1;
        match context.client.send_once::<Single<CrewInfo>>(&request).await {
            Ok(response) => return Ok(response.body.item),
            Err(failure) if attempts < MAX_ATTEMPTS && should_retry(&failure) => {
                let is_running = pause(&context.stop, failure.retry_delay().min(LOOKUP_DELAY)).await;
                if failure.is_transient() && !is_running {
                    return Err(failure);
                }
            }
            Err(failure) => return Err(failure),
        }
        if let Some(crew) = find_own_crew(context, founder).await? {
            return Ok(crew);
        }
    }
}

fn should_retry(failure: &Failure) -> bool {
    failure.is_transient() || matches!(failure.code(), "name_taken" | "name_not_allowed")
}

async fn find_own_crew(context: &RunContext, founder: &Account) -> Result<Option<CrewInfo>, Failure> {
    let request = ApiRequest::get("/api/crews")
        .with_api_key(&founder.api_key)
        .with_query(format!("?member={}", founder.id));
    let response = context.client.send_with_retries::<Page<CrewInfo>>(&request, &context.stop).await?;
    Ok(response.body.items.into_iter().find(|crew| crew.owner_id == founder.id))
}

/// Joins a crew. A second request of a member changes nothing.
async fn join(context: &RunContext, account: &Account, crew_id: &str) -> Result<(), Failure> {
    let request =
        ApiRequest::post("/api/crews/{id}/join", &json!({})).with_id(crew_id).with_api_key(&account.api_key);
    context.client.send_with_retries::<IgnoredAny>(&request, &context.stop).await?;
    Ok(())
}
