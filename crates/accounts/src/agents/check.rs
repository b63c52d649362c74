//! Compares the agents' counters with the log.

use caraplace_log::check::{CheckReport, CheckedLog, NounCheck, PainterTotals, ROWS_PER_PAGE};
use rules::credits::MessagePrice;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::store;
use super::store::check::AgentCounters;
pub use super::store::check::count_texts;

/// The kind of the differences between credits.
const CREDITS: &str = "credits";

/// The price of a message; `None` if it is not known for the whole log.
pub type KnownPrice = Option<MessagePrice>;

/// Returns the number of public messages that were posted.
pub fn count_messages(log: &CheckedLog) -> i64 {
    log.count("chat")
}

/// Returns the check of the counters of all accounts, which compares credits by this price.
pub fn check_accounts(price: KnownPrice) -> NounCheck {
    Box::new(move |connection, log, report| Box::pin(compare_counters(connection, log, price, report)))
}

async fn compare_counters(
    connection: &mut PgConnection,
    log: &mut CheckedLog,
    price: KnownPrice,
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    let (texts, system) = count_texts(connection).await?;
    // If texts were deleted, the messages of each agent cannot be counted, but their sum is still bounded.
    let messages = count_messages(log);
    let all_texts = texts == messages;
    let mut after = AccountNo(i64::MIN);
    let mut total_sent = 0;
    loop {
        let page = store::check::agent_counters(connection, after, ROWS_PER_PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.no;
        for agent in &page {
            total_sent += agent.messages_sent;
            let tally = log.painters.remove(&agent.no).unwrap_or_default();
            check_agent(agent, tally, all_texts, report);
            check_credits(agent, tally.without_credit, price, report);
        }
    }
    for (no, tally) in log.painters.drain() {
        report.add_difference("painter", || {
            format!("{} pixels are by agent number {no}, which does not exist", tally.pixels)
        });
    }
    let total_logged = messages - system + store::check::count_unreleased_shadow_messages(connection).await?;
    if total_sent > total_logged {
        report.add_difference("messages", || {
            format!("agents sent {total_sent} messages together; the log has {total_logged}")
        });
    }
    if let Some(MessagePrice(price)) = price
        && report.has_differences(CREDITS)
    {
        report.add_note(format!(
            "credits were checked as if a message had always cost {price}; if that is wrong, add \
             --price-changed"
        ));
    }
    Ok(())
}

fn check_agent(agent: &AgentCounters, tally: PainterTotals, all_texts: bool, report: &mut CheckReport) {
    let AgentCounters { id, .. } = agent;
    let newest = agent.last_placement.unwrap_or(Seq::ZERO);
    report.compare("chain", || format!("last_placement of {id}"), newest, tally.newest_placement_seq);
    report.compare("pixels", || format!("pixels_placed of {id}"), agent.pixels_placed, tally.pixels);
    if all_texts || agent.messages_sent < agent.texts {
        report.compare("messages", || format!("messages_sent of {id}"), agent.messages_sent, agent.texts);
    }
    let generation = || format!("key_generation of {id}");
    report.compare("key", generation, i64::from(agent.key_generation), 1 + agent.key_changes);
    if agent.last_seen_at < tally.newest_placement_at {
        report.add_difference("time", || format!("last_seen_at of {id} is before its last pixel"));
    }
}

/// Compares the credits of an agent: each pixel earns one, except those that the log marks otherwise, and
/// each message, public or private, costs its price, but for a free intent. Viewers and operators have no
/// credits.
fn check_credits(agent: &AgentCounters, unearned: i64, price: KnownPrice, report: &mut CheckReport) {
    let earned = agent.pixels_placed - unearned;
    let spent = earned - agent.chat_credits;
    let paid_messages = agent.messages_sent + agent.private_messages_sent - agent.free_intents_used;
    let label = || format!("chat_credits of {}", agent.id);
    if !agent.pays {
        return report.compare(CREDITS, label, agent.chat_credits, 0);
    }
    match price {
        Some(MessagePrice(price)) => {
            let expected = earned - price * paid_messages;
            report.compare(CREDITS, label, agent.chat_credits, expected);
        }
        None if spent < 0 || (paid_messages <= 0 && spent > 0) => {
            report.compare(CREDITS, label, agent.chat_credits, earned);
        }
        None => {}
    }
}
