//! `caraplace check` passes a sound log, and finds and names each kind of damage.

use std::process::Command;

use caraplace_accounts::agents::check::KnownPrice;
use rules::credits::MessagePrice;
use serde_json::json;

use crate::support::actions::{post_text, react};
use crate::support::{Process, Server};

/// The price of a message by default.
const PRICE: KnownPrice = Some(MessagePrice(5));

/// Creates something of every kind that is stored.
async fn write_sample_log(server: &Server) {
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    ada.earn_message_credits().await;
    let message = post_text(&ada, "Hello, canvas").await;
    let digest = server.digest().await;
    let pixel = json!({"x": 7, "y": 7, "color": 3, "chat_digest": digest});
    for _ in 0..2 {
        assert_eq!(bob.post_idempotent("/api/pixel", pixel.clone(), "one").await.status, 201);
    }
    let pixels = json!({"pixels": [{"x": 1, "y": 2, "color": 4}, {"x": 2, "y": 2, "color": 5}], "chat_digest": digest});
    assert_eq!(bob.post_idempotent("/api/pixels", pixels, "two").await.status, 201);
    react(&bob, &message, "🔥").await;
    assert_eq!(bob.paint(7, 7, 9).await.status, 201);
    assert_eq!(bob.paint(7, 8, 9).await.status, 201);
    let message = json!({"content": "Good evening"});
    assert_eq!(bob.post_idempotent("/api/chat", message, "three").await.status, 201);
    assert_eq!(bob.post("/api/agents/me/key", json!({})).await.status, 200);
}

const TABLES: &str =
    "fold log_head event control season agent placement chat_message earlier_text idempotency";

/// Changes of the database with the fault that must be reported. Event numbers: 1 season, 2–6 Ada's pixels, 7
/// her message, 8–10 Bob's pixels, 11 his reaction, 12 and 13 pixels, 14 his message.
const DAMAGE_CASES: [(&str, &str); 40] = [
    (
        "update placement set restores = 3, restored_agent = 1 where seq = 9",
        "correction: event 9 does not match",
    ),
    ("delete from placement where seq = 4", "gap: number 4 is missing"),
    ("delete from placement where seq in (9, 10)", "gap: numbers 9 to 10 are missing"),
    ("delete from event where seq = 14", "gap: number 14 is missing"),
    ("delete from event where seq = 1", "gap: number 1 is missing"),
    ("update event set seq = 10 where seq = 11", "duplicate: number 10 was assigned twice"),
    (
        "update placement set seq = 99 where seq = 13",
        "outside: event 99 lies outside the log, which goes from 1 to 14",
    ),
    ("update log_head set seq = 20", "gap: numbers 15 to 20 are missing"),
    ("update log_head set seq = 10", "outside: event 14 lies outside the log, which goes from 1 to 10"),
    ("update log_head set version = 12", "version: the newest change of a pixel is 12; the log says 13"),
    ("update log_head set at = at + interval '1 s'", "head: the head's time is"),
    ("update placement set placed_at = placed_at - interval '1 h' where seq = 9", "time: event 9 is older"),
    ("update agent set last_seen_at = created_at where name = 'Bob'", "time: last_seen_at of agent_"),
    (
        "update placement set x = 500 where seq = 3",
        "bounds: event 3 paints (500, 0), which is not on the canvas",
    ),
    (
        "update placement set y = -1 where seq = 3",
        "bounds: event 3 paints (1, -1), which is not on the canvas",
    ),
    ("update placement set color = 16 where seq = 3", "colour: event 3 paints with the colour 16"),
    (
        "update placement set agent = 77 where seq = 3",
        "painter: 1 pixels are by agent number 77, which does not exist",
    ),
    ("update placement set agent = 2 where seq = 3", "is 5; the log says 4"),
    ("update placement set covers = 3 where seq = 9", "chain: what event 9 covers is 3; the log says 0"),
    (
        "update placement set previous = null where seq = 9",
        "chain: its painter's placement before event 9 is 0; the log says 8",
    ),
    ("update agent set last_placement = 3 where name = 'Ada'", "is 3; the log says 6"),
    ("insert into fold values (1, 99, '', '')", "canvas: the snapshot is of event 99, beyond the head 14"),
    ("update season set seq = 5", "season: event 1 opens a season that does not exist"),
    ("update season set seq = 5", "season: no event 5 opens the season that begins there"),
    ("update agent set pixels_placed = 6 where name = 'Ada'", "is 6; the log says 5"),
    ("update agent set chat_credits = 3 where name = 'Ada'", "credits: chat_credits of agent_"),
    ("update agent set messages_sent = 2 where name = 'Ada'", "messages: messages_sent of agent_"),
    (
        "delete from chat_message; update agent set messages_sent = 2 where kind = 'agent'",
        "messages: agents sent 4 messages together; the log has 2",
    ),
    ("update agent set key_generation = 5 where name = 'Bob'", "key: key_generation of agent_"),
    ("delete from control", "control: the head of the control log is 1; the log says 0"),
    (
        "update control set no = 3; update log_head set control = 3",
        "control: entry 3 does not follow the one before it",
    ),
    ("update control set subject = 77", "control: entry 1 does not follow"),
    ("update chat_message set seq = 12 where seq = 7", "number 12: its text does not belong to an event"),
    (
        "update chat_message set sent_at = sent_at - interval '1 s' where seq = 7",
        "number 7: its text does not belong",
    ),
    (
        "update chat_message set hidden = true where seq = 7",
        "its visibility is not that of its newest change",
    ),
    ("update event set agent = 2 where seq = 7", "number 7: its event names another author"),
    ("update event set id = 'msg_other' where seq = 7", "reaction: msg_"),
    (
        "update event set id = (select id from event where seq = 7) where seq = 14",
        "it was posted more than once",
    ),
    (
        "update placement set color = 0 where seq = 9",
        "answer: the stored answer to POST /api/pixels by agent number",
    ),
    (
        "update idempotency set answer = '{' where key = 'one'",
        "answer: the stored answer to POST /api/pixel by",
    ),
];

/// Restores a table from its copy. Generated columns cannot be written.
async fn restore_table(server: &Server, table: &str) {
    let query = "select string_agg(quote_ident(column_name), ', ') from information_schema.columns
         where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'";
    let columns: String = sqlx::query_scalar(query).bind(table).fetch_one(&server.pool).await.unwrap();
    let restore = format!(
        "truncate {table} cascade; insert into {table} ({columns}) overriding system value \
         select {columns} from {table}_safe"
    );
    server.execute(&restore).await;
}

#[tokio::test]
async fn accepts_intact_log_and_names_each_damage() {
    let server = Server::start().await;
    write_sample_log(&server).await;
    assert_eq!(server.head().await, 14);
    let report = server.check_log(PRICE).await;
    assert_eq!(report.difference_count(), 0, "{report}");
    assert!(report.to_string().contains("note: 14 events, 2 painters, 2 messages"), "{report}");
    for table in TABLES.split(' ') {
        server.execute(&format!("create table {table}_safe as table {table}")).await;
    }
    for (damage, named) in DAMAGE_CASES {
        server.execute(damage).await;
        let report = server.check_log(PRICE).await;
        let is_named = report.difference_count() > 0 && report.to_string().contains(named);
        assert!(is_named, "{damage} gives:\n{report}");
        for table in TABLES.split(' ') {
            restore_table(&server, table).await;
        }
    }
    assert_eq!(server.check_log(PRICE).await.difference_count(), 0, "all was restored");
    server.execute("update chat_reaction set seq = 12").await;
    let report = server.check_log(PRICE).await.to_string();
    assert!(report.contains("a reaction is shown that no event has added"), "{report}");
}

#[tokio::test]
async fn accepts_deleted_texts_and_changed_prices() {
    let server = Server::start().await;
    write_sample_log(&server).await;
    server.execute("delete from chat_message where seq = 7").await;
    let report = server.check_log(PRICE).await;
    assert_eq!(report.difference_count(), 0, "{report}");
    let note = "note: 1 messages have no text any more, which is allowed";
    assert!(report.to_string().contains(note), "{report}");
    let other_price = server.check_log(Some(MessagePrice(3))).await;
    assert_eq!(other_price.difference_count(), 2, "{other_price}");
    assert!(other_price.to_string().contains("--price-changed"), "{other_price}");
    assert!(!report.to_string().contains("--price-changed"), "nothing hangs on the price: {report}");
    server.assert_log_is_sound().await;
    server.execute("update agent set chat_credits = 1000 where name = 'Ada'").await;
    assert_eq!(server.check_log(None).await.difference_count(), 1);
}

fn run_check_command(name: &str, value: &str) -> (i32, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_caraplace")).arg("check").env(name, value).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn command_exit_code_reports_the_outcome() {
    let server = Server::start().await;
    write_sample_log(&server).await;
    let (code, output, errors) = run_check_command("DATABASE_URL", server.database_url());
    assert_eq!((code, output.lines().last()), (0, Some("everything agrees")), "{output}{errors}");
    server.execute("update agent set pixels_placed = 0").await;
    let (code, output, _) = run_check_command("DATABASE_URL", server.database_url());
    assert_eq!((code, output.lines().last()), (1, Some("differences: 4")), "{output}");
    server.execute("delete from _sqlx_migrations where version = 1; update _sqlx_migrations set version = 999 where version = 2").await;
    let (code, output, errors) = run_check_command("DATABASE_URL", server.database_url());
    assert_eq!((code, output.as_str()), (2, ""), "{errors}");
    assert!(errors.contains("version 999"), "{errors}");
    let (code, _, errors) = run_check_command("DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing");
    assert!(code == 2 && errors.contains("refuses the connection"), "{errors}");
}

#[tokio::test]
async fn checks_private_database_while_server_runs_and_after_it_stopped() {
    let mut process = Process::start().await;
    let (code, output) = process.check().await;
    assert_eq!((code, output.lines().last()), (0, Some("everything agrees")), "{output}");
    process.request_stop();
    assert_eq!(process.exit_code().await, Some(0));
    let (code, output) = process.check().await;
    assert_eq!((code, output.lines().last()), (0, Some("everything agrees")), "{output}");
    assert!(process.postmaster_pid().is_none(), "it was stopped again");
}
