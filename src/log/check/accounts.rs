//! The agents' counters against what the log says of them, and the control log.

use rules::credits::MessagePrice;
use sqlx::PgConnection;

use super::fold::{Fold, Tally};
use super::report::Report;
use super::{KnownPrice, PAGE};
use crate::log::store::check::{self as store, Counters};

pub(super) async fn check(
    connection: &mut PgConnection,
    fold: &mut Fold,
    price: KnownPrice,
    report: &mut Report,
) -> Result<(), sqlx::Error> {
    let (texts, system) = store::texts(connection).await?;
    // Where texts were deleted nobody knows who said what; the sum is still known not to be more.
    let all_texts = texts == fold.messages;
    let (mut after, mut sent) = (i64::MIN, 0);
    loop {
        let page = store::agents(connection, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.no;
        for agent in &page {
            sent += agent.messages_sent;
            let tally = fold.tallies.remove(&agent.no).unwrap_or_default();
            check_one(agent, tally, all_texts, report);
            check_credits(agent, tally.unearned, price, report);
        }
    }
    for (no, tally) in fold.tallies.drain() {
        report.differs("painter", || {
            format!("{} pixels are by agent number {no}, who is not there", tally.pixels)
        });
    }
    let said = fold.messages - system + store::unreleased(connection).await?;
    if sent > said {
        report.differs("messages", || format!("agents sent {sent} messages together; the log has {said}"));
    }
    Ok(())
}

fn check_one(agent: &Counters, tally: Tally, all_texts: bool, report: &mut Report) {
    let Counters { id, .. } = agent;
    let newest = agent.last_placement.unwrap_or_default();
    report.compare("chain", || format!("last_placement of {id}"), newest, tally.newest);
    report.compare("pixels", || format!("pixels_placed of {id}"), agent.pixels_placed, tally.pixels);
    if all_texts || agent.messages_sent < agent.texts {
        report.compare("messages", || format!("messages_sent of {id}"), agent.messages_sent, agent.texts);
    }
    let generation = || format!("key_generation of {id}");
    report.compare("key", generation, agent.key_generation.into(), 1 + agent.key_changes);
    if agent.last_seen_at < tally.at {
        report.differs("time", || format!("last_seen_at of {id} is before its last pixel"));
    }
}

/// Each pixel of an agent earns a credit, but for those that the log says are unearned, and its messages spend them.
/// Viewers and operators have none.
fn check_credits(agent: &Counters, unearned: i64, price: KnownPrice, report: &mut Report) {
    let earned = agent.pixels_placed - unearned;
    let spent = earned - agent.chat_credits;
    let what = || format!("chat_credits of {}", agent.id);
    if !agent.pays {
        return report.compare("credits", what, agent.chat_credits, 0);
    }
    match price {
        Some(MessagePrice(price)) => {
            let left = earned - price * agent.messages_sent;
            report.compare("credits", what, agent.chat_credits, left);
        }
        None if spent < 0 || (agent.messages_sent == 0 && spent > 0) => {
            report.compare("credits", what, agent.chat_credits, earned);
        }
        None => {}
    }
}

pub(super) async fn check_control(
    connection: &mut PgConnection,
    head: i64,
    report: &mut Report,
) -> Result<(), sqlx::Error> {
    let newest = store::newest_control(connection).await?;
    report.compare("control", || "the head of the control log".to_owned(), head, newest);
    for no in store::stray_control(connection).await? {
        report.differs("control", || {
            format!("entry {no} does not follow the one before it, or is about an agent who is not there")
        });
    }
    Ok(())
}
