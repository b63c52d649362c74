//! Keeps the chat in memory current where events are not enough: reads it again after changes of visibility,
//! applies foldings, and sends own events.

use caraplace_live::event::Event;
use caraplace_live::hub::Hub;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::reload::{Reload, ReloadContext, Replacement};
use caraplace_log::sql_future::SqlFuture;
use caraplace_log::world::World;
use platform::config::GameSettings;
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::chat::Chat;
use super::store;

/// Keeps the chat in memory current where events are not enough.
pub struct ReloadChat;

impl Reload for ReloadChat {
    fn newest_own<'a>(&self, connection: &'a mut PgConnection) -> SqlFuture<'a, i64> {
        Box::pin(store::newest_own_event(connection))
    }

    /// Sends new own events, folds and unfolds messages, and tells all streams.
    fn apply_control<'a>(
        &self,
        connection: &'a mut PgConnection,
        context: ReloadContext<'a>,
        newest: i64,
        entries: &'a [ControlEntry],
    ) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            if entries.iter().any(|entry| matches!(entry, ControlEntry::ShadowPosted(_))) {
                store::publish_own(connection, context.hub).await?;
            }
            apply_foldings(connection, context, newest, entries).await
        })
    }

    /// Reads the newest messages if some were hidden or restored, or may name a plan that was, so that a
    /// client that receives the event finds the current chat.
    fn read_before<'a>(
        &self,
        connection: &'a mut PgConnection,
        context: ReloadContext<'a>,
        events: &'a [Event],
    ) -> SqlFuture<'a, Option<Replacement>> {
        Box::pin(async move {
            let season = season_to_read_again(&context.world.read(), events);
            let Some((season, last)) = season.zip(events.last()) else { return Ok(None) };
            let foldings = Chat::of(&context.world.read()).folding_control_head();
            let newest = store::newest_messages(connection, season, last.seq(), context.now).await?;
            Ok(Some(Box::new(move |world: &mut World| {
                let size = world.season.size;
                world.projection_mut::<Chat>().replace_messages(foldings, newest, size);
            }) as Replacement))
        })
    }

    /// Reads the newest messages again if hiding has left too few of them in memory. Does nothing if the head
    /// has moved meanwhile.
    fn read_after<'a>(
        &self,
        connection: &'a mut PgConnection,
        context: ReloadContext<'a>,
    ) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            let (head, season, foldings) = {
                let world = context.world.read();
                let chat = Chat::of(&world);
                if !chat.must_be_read {
                    return Ok(());
                }
                (world.head, world.season.clone(), chat.folding_control_head())
            };
            let newest = store::newest_messages(connection, season.seq, head, context.now).await?;
            let mut world = context.world.write();
            if world.head == head {
                world.projection_mut::<Chat>().replace_messages(foldings, newest, season.size);
            }
            Ok(())
        })
    }

    /// Tells all streams whether the chat is switched on, if that has changed.
    fn publish_settings(&self, hub: &Hub, game: &GameSettings) {
        hub.set_chat_enabled(game.chat_enabled);
    }
}

/// Returns the opening of the season whose messages must be read again after these events, or `None` if they
/// change no visibility.
fn season_to_read_again(world: &World, events: &[Event]) -> Option<Seq> {
    let changes_visibility = |event: &&Event| match event {
        Event::Hidden(_) | Event::Restored(_) | Event::Deleted(_) => true,
        _ => world.outdates_others(event),
    };
    events.iter().find(changes_visibility)?;
    let openings = events.iter().rev().filter(|event| matches!(event, Event::Season(_)));
    Some(openings.map(Event::seq).next().unwrap_or(world.season.seq))
}

/// Folds and unfolds the messages that these entries of the control log are about, and tells all streams.
async fn apply_foldings(
    connection: &mut PgConnection,
    context: ReloadContext<'_>,
    newest: i64,
    entries: &[ControlEntry],
) -> Result<(), sqlx::Error> {
    let seqs = entries.iter().filter_map(|entry| match entry {
        ControlEntry::FoldingChanged(seq) => Some(*seq),
        _ => None,
    });
    let seqs: Vec<Seq> = seqs.collect();
    if seqs.is_empty() {
        return Ok(());
    }
    let foldings = store::foldings(connection, &seqs).await?;
    let mut world = context.world.write();
    if world.projection_mut::<Chat>().set_folded(newest, &foldings) {
        foldings.iter().for_each(|folding| context.hub.set_folded(folding));
    }
    Ok(())
}
