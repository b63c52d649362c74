//! The audit log as CSV, by API, console and command line.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::FREE_CONSOLE_SETTINGS;
use crate::support::actions::post_text;
use crate::support::values::id_of;
use crate::support::{Server, admin};

#[tokio::test]
async fn file_has_the_filtered_entries_and_no_formula() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let message = post_text(&ada, "hello").await;
    let hide = format!("/api/admin/messages/{}/hide", id_of(&message));
    operator.post(&hide, json!({"reason": "=1+1"})).await.assert_status(200);
    operator.apply_sanction(&ada, "mute").await;
    let reply = operator.get("/api/admin/audit.csv?act=hide").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert_eq!(reply.header("content-disposition"), "attachment; filename=\"caraplace-audit.csv\"");
    let [header, row] = reply.text().split_terminator("\r\n").collect::<Vec<_>>()[..] else {
        panic!("{}", reply.text())
    };
    assert_eq!(header, "time,operator,act,subject,subject_name,reason,before,after");
    let (time, rest) = row.split_once(',').unwrap();
    time.parse::<DateTime<Utc>>().unwrap();
    let states = "\"{\"\"hidden\"\":false}\",\"{\"\"hidden\"\":true}\"";
    let expected = format!("owner,hide,{},Ada,'=1+1,{states}", id_of(&message));
    assert_eq!(rest, expected);

    let link = "/admin/audit.csv?act=hide";
    assert!(operator.page("/admin/audit?act=hide&subject=").await.1.contains(&format!("\"{link}\"")));
    for path in [link, "/admin/audit.csv?act=hide&operator=&since=2001-02-03T04:05"] {
        assert_eq!(operator.get(path).await.text(), reply.text(), "{path}");
    }
    let printed = admin(&server, &["audit", "--act", "hide", "--csv"], "").await.unwrap();
    assert_eq!(printed.trim_end(), reply.text().trim_end());

    operator.get("/api/admin/audit.csv?act=burn").await.assert_field_refused(400, "invalid_field", "act");
    assert_eq!(operator.get("/admin/audit.csv?until=soon").await.status, 400);
    assert_eq!(server.get("/api/admin/audit.csv").await.status, 401);
    assert_eq!(ada.get("/admin/audit.csv").await.status, 403);
}
