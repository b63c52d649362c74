//! `caraplace check` names rows of plans that contradict the log.

use serde_json::json;

use crate::support::Server;
use crate::support::actions::open_plan;
use crate::support::values::id_of;

const TABLES: [&str; 4] = ["event", "placement", "plan", "plan_event"];

/// Changes of the database with the fault that must be reported. Event numbers: 1 season, 2 a plan, 3 its
/// change, 4 another plan, 5 its end, 6 a pixel.
const DAMAGE_CASES: [(&str, &str); 14] = [
    ("delete from plan_event where seq = 3", "number 3: its event does not belong to a change of a plan"),
    (
        "update event set id = 'plan_other' where seq = 4",
        "plan_other, number 4: its event does not belong to a change",
    ),
    ("update event set kind = 'hidden' where seq = 5", "number 5: a change of it has no event"),
    ("update plan_event set version = 4 where seq = 3", "number 3: its version does not follow"),
    ("update plan_event set version = 2 where seq = 2", "number 2: its version does not follow"),
    ("delete from plan_event where seq = 2", "number 2: its event does not belong to a change of a plan"),
    ("update plan set version = 1 where no = 2", "number 2: its version and state are not those of"),
    ("update plan set state = 'finished' where no = 2", "number 2: its version and state are not those of"),
    ("update plan set target_seq = 6 where no = 2", "number 2: the event that set its picture is not one"),
    ("update plan set shadow = true where no = 2", "number 2: not everyone can see it, but it has an event"),
    (
        "update plan set ended_at = null, final_done = null where no = 4",
        "number 4: its end does not match its state",
    ),
    (
        "update plan set ended_at = created_at, final_done = 0 where no = 2",
        "number 2: its end does not match its state",
    ),
    ("update placement set plan = 77", "plan number 77, number 6: a placement names it outside"),
    (
        "delete from plan_event where plan = 4; delete from plan where no = 4",
        "number 4: its event does not belong to a change of a plan",
    ),
];

#[tokio::test]
async fn names_each_damage_of_plans() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = json!({"title": "House", "x": 1, "y": 1, "rows": ["55", "5."]});
    let path = format!("/api/plans/{}", id_of(&open_plan(&ada, plan.clone()).await));
    assert_eq!(ada.put(&path, json!({"expected_version": 1, "x": 2})).await.status, 200);
    let path = format!("/api/plans/{}/close", id_of(&open_plan(&bob, plan).await));
    assert_eq!(bob.post(&path, json!({})).await.status, 200);
    assert_eq!(bob.paint(9, 9, 1).await.status, 201);
    assert_eq!(server.head().await, 6);
    assert_eq!(run_check(&server).await, None);
    for table in TABLES {
        server.execute(&format!("create table {table}_safe as table {table}")).await;
    }
    for (damage, named) in DAMAGE_CASES {
        server.execute(damage).await;
        let report = run_check(&server).await.unwrap_or_default();
        assert!(report.contains(named), "{damage} gives:\n{report}");
        for table in TABLES {
            let restore = format!(
                "truncate {table} cascade; insert into {table} overriding system value select * from {table}_safe"
            );
            server.execute(&restore).await;
        }
    }
    assert_eq!(run_check(&server).await, None, "all was restored");
}

/// Returns the differences; `None` if there are none.
async fn run_check(server: &Server) -> Option<String> {
    let report = server.check_log(None).await;
    (report.difference_count() > 0).then(|| report.to_string())
}
