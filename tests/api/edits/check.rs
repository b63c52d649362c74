//! `caraplace check` names rows of changed texts that contradict the log.

use super::{FREE_CONSOLE_SETTINGS, delete_ok, edit_ok, post_text};
use crate::support::Server;

/// Changes of the database with the fault that must be reported. Event numbers: 1 season, 2 and 3 messages, 4
/// a change of the first, 5 a deletion of the second.
const DAMAGE_CASES: [(&str, &str); 9] = [
    ("delete from earlier_text where content = 'one'", "its earlier texts are not those of its events"),
    ("delete from earlier_text where content = 'two'", "its earlier texts are not those of its events"),
    (
        "update earlier_text set until = until + interval '1 s'",
        "its earlier texts are not those of its events",
    ),
    (
        "insert into earlier_text (message_id, content, since, until)
             select id, 'x', sent_at, sent_at from chat_message where seq = 2",
        "its earlier texts are not those of its events",
    ),
    ("update chat_message set edited_at = null where seq = 2", "the times of its change and deletion"),
    ("update chat_message set edited_at = sent_at where seq = 3", "the times of its change and deletion"),
    ("update chat_message set deleted_at = null where seq = 3", "the times of its change and deletion"),
    (
        "update chat_message set hidden = false, deleted_at = null where seq = 3",
        "its visibility is not that of its newest change",
    ),
    (
        "update event set id = (select id from event where seq = 3), kind = 'deleted' where seq = 4",
        "its text was changed before it was posted or after it was deleted",
    ),
];

#[tokio::test]
async fn names_each_damage_of_changed_texts() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (one, two) = (post_text(&ada, "one").await, post_text(&ada, "two").await);
    edit_ok(&ada, &one, "three").await;
    delete_ok(&ada, &two).await;
    server.assert_log_is_sound().await;
    for (damage, named) in DAMAGE_CASES {
        server.execute(damage).await;
        let report = server.check_log(None).await;
        assert!(report.to_string().contains(named), "{damage} gives:\n{report}");
        server.execute(RESTORE).await;
        server.assert_log_is_sound().await;
    }
}

/// Undoes every damage.
const RESTORE: &str = "
    update event set kind = 'edited', id = (select id from event where seq = 2) where seq = 4;
    update chat_message set edited_at = (select at from event where seq = 4) where seq = 2;
    update chat_message set edited_at = null, hidden = true,
        deleted_at = (select at from event where seq = 5) where seq = 3;
    delete from earlier_text;
    insert into earlier_text (message_id, content, since, until)
        select m.id, case m.seq when 2 then 'one' else 'two' end, m.sent_at, e.at
        from chat_message m join event e on e.id = m.id and e.kind in ('edited', 'deleted');";
