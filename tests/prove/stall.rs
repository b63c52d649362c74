//! A server that stalls: by a timetable, everything that was due meanwhile counts, not only what was under way.

use std::time::Duration;

use rustix::process::Signal;
use tokio::time::sleep;

use crate::crowd::Crowd;
use crate::stage::Stage;
use crate::support::postmaster::signal;

/// Requests per second.
const RATE: u64 = 100;
/// How long nothing is answered.
const STALL: Duration = Duration::from_secs(2);
/// In milliseconds: a timetable that waited for the stall would be later, one on a busy machine is not.
const LATEST: f64 = 1_500.0;

pub async fn charged(_rounds: u32) -> String {
    let stage = Stage::alone().await;
    let rate = RATE.to_string();
    let crowd = Crowd::with(&[&stage.first().front.base], &["--rate", &rate, "--mix", "pixel=1"]);
    stage.first().grown_by(RATE as i64).await;
    let server = stage.first().process.id();
    signal(server, Signal::STOP);
    sleep(STALL).await;
    signal(server, Signal::CONT);
    stage.first().grown_by(RATE as i64).await;
    let (report, _) = crowd.finish().await;
    let mut rows = report["requests"].as_array().unwrap().iter();
    // One that waited too long for a connection may have been refused, and was sent again.
    let done = rows.find(|row| row["request"] == "POST /api/pixel" && row["answer"] == "201").unwrap();
    let (count, p50, p90) = (done["count"].as_u64(), done["p50_ms"].as_f64(), done["p90_ms"].as_f64());
    // Two hundred were due within the stall, of four hundred or a few more: a tenth of all waited for most of it.
    assert!(p90.unwrap() > 750.0, "p90 {p90:?} ms of {count:?} requests: the stall is left out");
    let timetable = &report["timetable"];
    assert_eq!(timetable["jobs"].as_u64(), count, "every request of the timetable went out");
    assert!(
        timetable["latest_ms"].as_f64().unwrap() < LATEST,
        "the timetable itself must not wait: {timetable}"
    );
    format!("{} requests, p50 {:.0} ms, p90 {:.0} ms", count.unwrap(), p50.unwrap(), p90.unwrap())
}
