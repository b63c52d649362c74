//! Two crews split a picture and ask each other questions, of which webhooks tell them.

use crate::database_check;
use crate::environment::TestEnvironment;
use crate::swarm_process::SwarmProcess;

/// Charges come back quickly, and webhooks may reach this machine.
const SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_MAX_CHARGES", "40"),
    ("CARAPLACE_CHARGE_SECONDS", "1"),
    ("CARAPLACE_CANVAS_WIDTH", "40"),
    ("CARAPLACE_CANVAS_HEIGHT", "40"),
    ("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.0/8"),
];
const OPTIONS: &str = "--agents 8 --crews 2 --plan 24x16 --webhooks --seconds 12 --think-ms 50 --reread-ms 500 \
                       --batch 8 --chatty 60 --spectators 1";

/// Eight agents in two crews finish a picture. The load generator checks who reads which private message, and
/// the database must store those that were acknowledged.
pub async fn finished(rounds: u32) -> String {
    let mut summaries = Vec::new();
    for _ in 0..rounds {
        let environment = TestEnvironment::single_with(&SETTINGS).await;
        let instance = environment.first_instance();
        let options: Vec<&str> = OPTIONS.split_whitespace().collect();
        let swarm = SwarmProcess::with_options(&[&instance.proxy.base_url], &options);
        let (report, acks) = swarm.finish_by_itself().await;
        let (plans, crews) = (&report["plans"], &report["crews"]);
        assert_eq!((plans["plans"].as_u64(), plans["finished"].as_u64()), (Some(2), Some(2)), "{plans}");
        let count = |name: &str| crews[name].as_u64().unwrap() as usize;
        assert_eq!(count("crew_messages") + count("direct_messages"), acks.private_messages.len());
        let questions = &crews["questions"];
        let [asked, answered] = ["asked", "answered"].map(|name| questions[name].as_u64().unwrap());
        assert!(count("crew_messages") > 0 && answered > 0, "{crews}");
        // The last ones may arrive after the agents have stopped, but each is stored with its message.
        let called = crews["webhooks"]["received"].as_u64().unwrap();
        assert!(called > 0 && stored_deliveries(&environment).await >= asked + answered, "{crews}");
        database_check::check(&environment.database_url(), &environment.instances, &acks).await;
        let messages = acks.private_messages.len();
        summaries.push(format!("{messages} private messages, {answered} of {asked} questions answered"));
    }
    summaries.join("; ")
}

/// Returns the number of deliveries to webhooks, whether they have been sent or not.
async fn stored_deliveries(environment: &TestEnvironment) -> u64 {
    let mut database = database_check::connect(&environment.database_url()).await;
    let count: i64 =
        sqlx::query_scalar("select count(*) from delivery").fetch_one(&mut database).await.unwrap();
    count.unsigned_abs()
}
