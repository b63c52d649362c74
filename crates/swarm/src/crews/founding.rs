//! Founds the crews of a run: the first agent of each founds it, and the others join.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::de::IgnoredAny;
use serde_json::json;

use crate::{
    agents,
    api_types::Account,
    client::ApiRequest,
    crews::{Crew, CrewRun, PrivateLedger, api_types::CrewInfo, receiver::Deliveries, webhooks},
    failure::Failure,
    names,
    rng::{self, RngPurpose},
    run_context::RunContext,
};

/// The maximum number of members of a crew.
const MAX_MEMBERS: usize = 50;
/// Maximum number of agents that join at the same time.
const MAX_CONCURRENT_JOINS: usize = 8;

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

async fn found_crew(context: &RunContext, index: usize) -> Result<CrewInfo, Failure> {
    let founder = &context.accounts[index];
    let mut rng = rng::seeded(context.seed, RngPurpose::Crew, index);
    let request = |attempt| {
        let body = json!({"name": names::name(&mut rng, attempt), "visibility": "open"});
        ApiRequest::post("/api/crews", &body).with_api_key(&founder.api_key)
    };
    let list = ApiRequest::get("/api/crews")
        .with_api_key(&founder.api_key)
        .with_query(format!("?member={}", founder.id));
    context.create(request, &list, |crew: &CrewInfo| crew.owner_id == founder.id).await
}

/// Joins a crew. A second request of a member changes nothing.
async fn join(context: &RunContext, account: &Account, crew_id: &str) -> Result<(), Failure> {
    let request =
        ApiRequest::post("/api/crews/{id}/join", &json!({})).with_id(crew_id).with_api_key(&account.api_key);
    context.fetch::<IgnoredAny>(&request).await?;
    Ok(())
}
