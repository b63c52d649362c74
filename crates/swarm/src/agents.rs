//! Registers the agents and runs them concurrently.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    agent::{Agent, Work},
    api_types::{Account, Single},
    client::ApiRequest,
    crews::{CrewRun, CrewShare},
    failure::Failure,
    names,
    rng::{self, RngPurpose},
    run_context::RunContext,
    stop::pause,
};

/// Maximum number of concurrent registrations.
const MAX_CONCURRENT_REGISTRATIONS: usize = 8;
/// Maximum number of names that an agent tries.
const MAX_NAME_ATTEMPTS: u32 = 12;
/// Longest `Retry-After` of a registration that is waited for. A longer one ends the registrations.
const MAX_REGISTRATION_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

const LIMIT_HINT: &str = "the server limits registrations per address: start it with \
                          CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY=0 to register more agents";

/// Registers up to the requested number of agents. A refusal ends the registrations, and the run continues
/// with the agents so far.
pub async fn register_all(context: &RunContext) -> Result<Vec<Account>> {
    let requested = context.args.agents as usize;
    let registration_token = context.stop.child_token();
    let indices = (0..requested).take_while(|_| !registration_token.is_cancelled());
    let register =
        |index| async move { register_agent(context, index).await.map(|account| (index, account)) };
    // Unordered, so that a registration that waits does not delay the others.
    let mut registrations =
        stream::iter(indices).map(register).buffer_unordered(MAX_CONCURRENT_REGISTRATIONS);
    let (mut accounts, mut failure_text) = (BTreeMap::new(), None);
    while let Some(registered) = registrations.next().await {
        match registered {
            Ok((index, account)) => {
                accounts.insert(index, account);
            }
            Err(failure) => {
                failure_text = Some(describe_failure(&failure));
                registration_token.cancel();
            }
        }
    }
    check_registered_count(accounts.len(), requested, failure_text.as_deref())?;
    Ok(accounts.into_values().collect())
}

fn check_registered_count(registered: usize, requested: usize, reason: Option<&str>) -> Result<()> {
    let reason = reason.unwrap_or("the run was stopped");
    if registered == 0 {
        bail!("no agent could register: {reason}");
    }
    if registered < requested {
        eprintln!("swarm: {registered} of {requested} agents registered ({reason}); continuing with those");
    }
    Ok(())
}

fn describe_failure(failure: &Failure) -> String {
    match failure.code() {
        "too_many_requests" => format!("{failure}; {LIMIT_HINT}"),
        _ => failure.to_string(),
    }
}

/// Registers the agent with this index.
pub async fn register_agent(context: &RunContext, index: usize) -> Result<Account, Failure> {
    let mut rng = rng::seeded(context.seed, RngPurpose::Name, index);
    let mut attempts = 0;
    loop {
        let name = names::name(&mut rng, attempts);
        let (description, model) = (names::description(&mut rng), names::model(&mut rng));
        let body = json!({"name": name, "description": description, "model": model});
        let request = ApiRequest::post("/api/agents/register", &body);
        match context.client.send_once::<Single<Account>>(&request).await {
            Ok(response) => return Ok(response.body.item),
            Err(failure) if attempts < MAX_NAME_ATTEMPTS && should_retry(&failure) => {
                if failure.is_transient() && !pause(&context.stop, failure.retry_delay()).await {
                    return Err(failure);
                }
            }
            Err(failure) => return Err(failure),
        }
        attempts += 1;
    }
}

fn should_retry(failure: &Failure) -> bool {
    failure.is_name_refused() || failure.is_transient() && failure.retry_delay() <= MAX_REGISTRATION_WAIT
}

/// Runs all agents. Returns the reason of each that stopped early.
pub async fn run_all(
    context: &Arc<RunContext>,
    work: Vec<Work>,
    crews: Option<&Arc<CrewRun>>,
) -> Result<Vec<String>> {
    let mut tasks = JoinSet::new();
    for (index, work) in work.into_iter().enumerate() {
        let crew = crews.map(|run| CrewShare::new(run.clone(), index));
        let agent = Agent::new(context.clone(), index, work, crew);
        let name = agent.account.name.clone();
        tasks.spawn(async move { agent.run().await.map(|failure| format!("{name}: {failure}")) });
    }
    let mut failures = Vec::new();
    while let Some(result) = tasks.join_next().await {
        failures.extend(result?);
    }
    Ok(failures)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::failure::Refusal;

    fn refused(status: u16, code: &str, wait: u64) -> Failure {
        let retry_after = Some(Duration::from_secs(wait));
        Failure::Refused(Refusal { status, code: code.into(), detail: String::new(), retry_after })
    }

    #[test]
    fn retries_after_short_but_not_after_long_limit() {
        assert!(should_retry(&refused(429, "too_many_requests", 2)));
        assert!(!should_retry(&refused(429, "too_many_requests", 3_600)));
        assert!(should_retry(&refused(409, "name_taken", 0)));
        assert!(!should_retry(&refused(400, "invalid_field", 0)));
    }

    #[test]
    fn continues_with_some_agents_but_not_with_none() {
        assert!(check_registered_count(3, 50, Some("limit")).is_ok());
        assert!(check_registered_count(0, 50, Some("limit")).unwrap_err().to_string().contains("limit"));
    }
}
