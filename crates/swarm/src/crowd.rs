//! The crowd: registering, and everybody's lives side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use futures_util::{StreamExt, stream};
use tokio::task::JoinSet;

use crate::{
    agent::Agent,
    client::Call,
    failure::Failure,
    luck::{self, Use},
    names,
    route::Route,
    stop::pause,
    wire::{Account, Dot, Registered, Registration},
    world::World,
};

/// Registrations under way at once.
const DOORS: usize = 8;
/// Names an agent tries before it gives up.
const NAMES: u32 = 12;
/// A limit that passes sooner is waited for; a longer one ends the registering.
const SHORT_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

const LIMIT_HINT: &str = "the server limits registrations per address: start it with \
                          CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY=0 for a crowd";

/// Registers up to `wanted` agents and goes on with those it got: after the first refusal no more are asked for.
pub async fn gather(world: &World) -> Result<Vec<Account>> {
    let wanted = world.args.agents as usize;
    let registering = world.stop.child_token();
    let indices = (0..wanted).take_while(|_| !registering.is_cancelled());
    let register = |index| async move { register(world, index).await.map(|account| (index, account)) };
    // One that has to wait does not hold up the others.
    let mut registrations = stream::iter(indices).map(register).buffer_unordered(DOORS);
    let (mut accounts, mut why) = (BTreeMap::new(), None);
    while let Some(registered) = registrations.next().await {
        match registered {
            Ok((index, account)) => {
                accounts.insert(index, account);
            }
            Err(failure) => {
                why = Some(reason(&failure));
                registering.cancel();
            }
        }
    }
    explain(accounts.len(), wanted, why.as_deref())?;
    Ok(accounts.into_values().collect())
}

fn explain(got: usize, wanted: usize, why: Option<&str>) -> Result<()> {
    let why = why.unwrap_or("the run was stopped");
    if got == 0 {
        bail!("nobody could register: {why}");
    }
    if got < wanted {
        eprintln!("swarm: {got} of {wanted} agents registered ({why}); going on with those");
    }
    Ok(())
}

fn reason(failure: &Failure) -> String {
    match failure.code() {
        "too_many_requests" => format!("{failure}; {LIMIT_HINT}"),
        _ => failure.to_string(),
    }
}

async fn register(world: &World, index: usize) -> Result<Account, Failure> {
    let mut rng = luck::source(world.seed, Use::Name, index);
    let mut tries = 0;
    loop {
        let name = names::name(&mut rng, tries);
        let (description, model) = (names::about(&mut rng), names::model(&mut rng));
        let body = Registration { name: &name, description, model };
        let call = Call::new(Route::Register).body(&body)?;
        match world.client.once::<Registered>(&call).await {
            Ok(answer) => return Ok(answer.body.agent),
            Err(failure) if tries < NAMES && is_bearable(&failure) => {
                if failure.is_passing() && !pause(&world.stop, failure.wait()).await {
                    return Err(failure);
                }
            }
            Err(failure) => return Err(failure),
        }
        tries += 1;
    }
}

fn is_bearable(failure: &Failure) -> bool {
    let name = matches!(failure.code(), "name_taken" | "name_not_allowed");
    name || failure.is_passing() && failure.wait() <= SHORT_WAIT
}

/// Lets everybody live; returns how many left early, and why the first of them did.
pub async fn live(world: &Arc<World>, accounts: Vec<Account>, shares: Vec<Vec<Dot>>) -> Result<Vec<String>> {
    let mut lives = JoinSet::new();
    for (index, (account, dots)) in accounts.into_iter().zip(shares).enumerate() {
        let name = account.name.clone();
        let agent = Agent::new(world.clone(), index, account, dots);
        lives.spawn(async move { agent.live().await.map(|failure| format!("{name}: {failure}")) });
    }
    let mut gone = Vec::new();
    while let Some(end) = lives.join_next().await {
        gone.extend(end?);
    }
    Ok(gone)
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
        assert!(is_bearable(&refused(429, "too_many_requests", 2)));
        assert!(!is_bearable(&refused(429, "too_many_requests", 3_600)));
        assert!(is_bearable(&refused(409, "name_taken", 0)));
        assert!(!is_bearable(&refused(400, "invalid_field", 0)));
    }

    #[test]
    fn continues_with_some_agents_but_not_with_none() {
        assert!(explain(3, 50, Some("limit")).is_ok());
        assert!(explain(0, 50, Some("limit")).unwrap_err().to_string().contains("limit"));
    }
}
