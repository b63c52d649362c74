//! Reports: somebody finds a message, a name or a part of the canvas not decent. What is reported is frozen at the
//! first report, and enough separate voices put its author in the shadow until an operator has looked.

pub mod alerts;
pub mod case;
pub(super) mod evidence;
pub mod review;

use std::net::IpAddr;

use chrono::TimeDelta;
use rules::grid::Rect;
use rules::ids::{AccountId, MessageId};
use rules::reports::history::{RECOVERY_DURATION, REJECTION_DURATION, weight_after_rejections};
use rules::reports::{
    ACTION_THRESHOLD, FULL_WEIGHT, REPORT_LIFETIME, ReporterTrust, combined_weight, name_weight,
};
use rules::rights::{AccountKind, PERMANENT};
use rules::sanctions::Sanction;
use sqlx::PgConnection;

use super::{BY_REPORTS, Cause, standing, store};
use crate::clock;
use crate::database;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;
use case::Voice;

/// Time for which the network that a report was sent from is kept: a rejection of it may come weeks later, and holds for
/// weeks.
const NETWORK_KEPT_FOR: TimeDelta = TimeDelta::days(90);

/// What is reported.
#[derive(Clone, Debug)]
pub enum Target {
    Message(MessageId),
    Name(AccountId),
    Canvas(Rect),
}

impl Target {
    fn kind(&self) -> &'static str {
        match self {
            Self::Message(_) => "message",
            Self::Name(_) => "name",
            Self::Canvas(_) => "canvas",
        }
    }

    fn stored(&self) -> String {
        match self {
            Self::Message(id) => id.as_str().to_owned(),
            Self::Name(id) => id.as_str().to_owned(),
            Self::Canvas(rect) => {
                let sides = rect.corners();
                format!("{},{},{},{}", sides.x1, sides.y1, sides.x2, sides.y2)
            }
        }
    }
}

/// Who reports: somebody with a key, or whoever sits at an address.
#[derive(Clone, Copy, Debug)]
pub struct Reporter<'a> {
    pub agent: Option<&'a Agent>,
    pub address: IpAddr,
}

/// How a report ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    Taken,
    /// The same reporter has reported the same before.
    Already,
    /// There is no such thing.
    Nothing,
}

/// Takes a report, with the evidence as it is now if it is the first.
///
/// # Errors
/// When the database cannot be read or written.
pub async fn file(
    state: &AppState,
    reporter: Reporter<'_>,
    target: &Target,
    reason: &str,
) -> Result<Filed, Refusal> {
    let (kind, name) = (target.kind(), target.stored());
    let voice = voice(state, reporter, target).await?;
    if store::reports::is_known(&state.pool, kind, &name, &voice).await? {
        return Ok(Filed::Already);
    }
    let is_open = store::reports::open_case(&state.pool, kind, &name).await?.is_some();
    // A rectangle may have changed hands since the first report: each report is judged by what it shows then.
    let seen = if is_open && !matches!(target, Target::Canvas(_)) {
        None
    } else {
        let Some(evidence) = evidence::gather(state, target).await? else { return Ok(Filed::Nothing) };
        Some(evidence)
    };
    let mut transaction = state.pool.begin().await?;
    if let Some(evidence) = seen.as_ref().filter(|_| !is_open) {
        let (id, offset) = (clock::new_id("report"), state.clock.offset());
        store::reports::open(&mut transaction, &id, kind, &name, evidence, offset).await?;
    }
    let Some(case) = store::reports::hold(&mut transaction, kind, &name).await? else {
        // Closed between two looks: the next report opens it anew.
        return Err(Refusal::Overloaded);
    };
    let author = case.author;
    if let Some(author) = author {
        store::reporters::lock_reports_about(&mut transaction, author).await?;
    }
    let is_evidence =
        seen.is_none_or(|evidence| evidence.author == author && (evidence.counts || !case.counts));
    let is_held = is_held(state, &mut transaction, author, &voice).await?;
    let validity = store::reports::ReportValidity { is_evidence, is_held };
    if !store::reports::insert(&mut transaction, case.no, &voice, validity, reason, state.clock.offset())
        .await?
    {
        return Ok(Filed::Already);
    }
    database::commit(transaction).await?;
    if let Some(author) = author {
        weigh(state, author).await?;
    }
    Ok(Filed::Taken)
}

/// Returns a report's sender with what it weighs.
async fn voice(
    state: &AppState,
    Reporter { agent, address }: Reporter<'_>,
    target: &Target,
) -> Result<Voice, Refusal> {
    let now = state.clock.now();
    let (witness, owner, registered_network) = match agent {
        None => (ReporterTrust::Unknown, state.trace_of(address).to_vec(), None),
        Some(agent) => {
            let known = store::reports::reporter(&state.pool, agent.no).await?.ok_or(Refusal::KeyInvalid)?;
            let witness = match agent.rights.kind {
                AccountKind::Viewer => ReporterTrust::PassHolder,
                _ => ReporterTrust::Agent { pixels_placed: known.pixels_placed, since: known.created_at },
            };
            let owner = known.registered_from.unwrap_or_else(|| agent.no.to_be_bytes().to_vec());
            (witness, owner, known.registered_network)
        }
    };
    let (agent, trust) = (agent.map(|agent| agent.no), witness.weight(now));
    let rejections =
        store::reporters::rejections(&state.pool, agent, &owner, now - RECOVERY_DURATION).await?;
    let weight = weight_after_rejections(trust, &rejections, now);
    Ok(Voice {
        agent,
        address: agent.is_none().then(|| owner.clone()),
        network: state.network_trace_of(address).map(Vec::from),
        registered_network,
        trust,
        rejected: rejections.len(),
        weight: if matches!(target, Target::Name(_)) { name_weight(weight) } else { weight },
        owner,
    })
}

/// Whether an operator has lately rejected a report about the same account by the same reporter or its networks.
async fn is_held(
    state: &AppState,
    connection: &mut PgConnection,
    author: Option<i64>,
    voice: &Voice,
) -> Result<bool, Refusal> {
    let Some(author) = author else { return Ok(false) };
    let networks: Vec<Vec<u8>> =
        [&voice.network, &voice.registered_network].into_iter().flatten().cloned().collect();
    let since = state.clock.now() - REJECTION_DURATION;
    let (agent, owner) = (voice.agent, &voice.owner);
    Ok(store::reporters::is_held(connection, author, agent, owner, &networks, since).await?)
}

/// Puts an author in the shadow once enough separate voices have spoken against it; raises an alert where many have, but
/// not enough that are separate and trusted.
async fn weigh(state: &AppState, author: i64) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    // Of two reports at once, the one that reads fewer must not write its alert last.
    store::reporters::lock_reports_about(&mut transaction, author).await?;
    let since = state.clock.now() - REPORT_LIFETIME;
    let voices = store::reports::voices(&mut *transaction, author, (since, PERMANENT)).await?;
    let weight = combined_weight(&voices);
    if weight < ACTION_THRESHOLD {
        let raised = alerts::consider(state, &mut transaction, author, &voices).await?;
        transaction.commit().await?;
        if let Some(alert) = raised {
            alert.announce();
        }
        return Ok(());
    }
    // It says that nothing was imposed.
    store::report_alerts::end(&mut transaction, author, state.clock.offset()).await?;
    transaction.commit().await?;
    let Some(id) = store::reports::id_of(&state.pool, author).await?.and_then(|id| AccountId::parse(&id))
    else {
        return Ok(());
    };
    let why = format!(
        "{} reports within 24 hours weigh {} together: in the shadow until an operator has looked.",
        voices.iter().filter(|voice| voice.is_counted).count(),
        weight as f64 / FULL_WEIGHT as f64
    );
    let cause = Cause { operator: BY_REPORTS.to_owned(), why };
    standing::take(state, &cause, &id, &Sanction::Shadow).await.map(|_| ())
}

/// Forgets the networks of reports that nothing asks for any more.
///
/// # Errors
/// When the database cannot be written.
pub async fn sweep(state: &AppState) -> Result<u64, sqlx::Error> {
    store::reporters::forget_networks(&state.pool, state.clock.now() - NETWORK_KEPT_FOR).await
}
