//! The audit log in the console: names with links, changed fields, filters and the link to the CSV.

use serde_json::json;

use super::{FREE_CONSOLE_SETTINGS, apply_sanction};
use crate::support::Server;
use crate::support::actions::post_text;
use crate::support::values::id_of;

#[tokio::test]
async fn page_names_subjects_and_shows_changed_fields() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let message = post_text(&ada, "hello").await;
    operator.hide_message(&message).await;
    let ban = json!({"until": "2999-01-01T00:00:00Z", "reason": "spam"});
    apply_sanction(&operator, &ada.id, "ban", ban).await;
    let (_, page) = operator.page("/admin/audit").await;
    for (place, id) in [
        (format!("/admin/agents/{}", ada.id), ada.id.as_str()),
        (format!("/admin/messages#{}", id_of(&message)), id_of(&message)),
    ] {
        let name = format!("<a href=\"{place}\"><bdi class=\"foreign\">Ada</bdi></a>");
        let entries = format!("<a href=\"/admin/audit?subject={id}\">{id}</a>");
        assert!(page.contains(&name) && page.contains(&entries), "{page}");
    }
    let row = |[field, before, after]: [&str; 3]| {
        let value = |text: &str| format!("<td class=\"foreign\" dir=\"auto\">{text}</td>");
        format!("<th scope=\"row\">{field}</th>{}{}", value(before), value(after))
    };
    for change in [
        ["banned until", "none", "1 January 2999, 00:00 UTC"],
        ["ban reason", "none", "spam"],
        ["hidden", "no", "yes"],
    ] {
        assert!(page.contains(&row(change)), "{change:?}: {page}");
    }
    assert!(!page.contains("<th scope=\"row\">name</th>"), "the name is the same before and after: {page}");
}

#[tokio::test]
async fn form_selects_entries_and_links_keep_the_filter() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    operator.hide_message(&post_text(&ada, "hello").await).await;
    operator.apply_sanction(&ada, "mute").await;
    let (_, page) = operator.page("/admin/audit?act=hide&operator=+&subject=&since=&until=").await;
    for part in [
        "<option value=\"hide\" selected>hide</option>",
        "<option value=\"mute\">mute</option>",
        "<td>hide</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<td>mute</td>"), "{page}");
    let (_, page) = operator.page("/admin/audit?subject=ada&since=2001-02-03T04:05").await;
    assert!(page.contains("<td>mute</td>") && !page.contains("<td>hide</td>"), "{page}");
    assert!(page.contains("value=\"ada\"") && page.contains("value=\"2001-02-03T04:05\""), "{page}");
    assert_eq!(operator.page("/admin/audit?act=burn").await.0, 400);
    server
        .execute(
            "insert into audit (at, operator, act, subject, why, before, after)
             select now(), 'a&b', 'hide', 'msg_1', 'spam', 'null', 'null' from generate_series(1, 101)",
        )
        .await;
    let (_, page) = operator.page("/admin/audit?operator=a%26b&act=hide").await;
    let (_, rest) = page.split_once("\"/admin/audit?operator=a%26b&amp;act=hide&amp;before=").unwrap();
    let older = format!("/admin/audit?operator=a%26b&act=hide&before={}", rest.split('"').next().unwrap());
    let (_, page) = operator.page(&older).await;
    assert_eq!(page.matches("<td>hide</td>").count(), 1, "{page}");
}

#[tokio::test]
async fn names_of_actions_have_spaces_in_whatever_form_they_are_stored() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    server
        .execute(
            "insert into audit (at, operator, act, subject, why, before, after)
             select now(), 'owner', act, 'msg_1', 'spam', 'null', 'null'
             from unnest(array['undo_decision', 'block network']) act",
        )
        .await;
    let (_, page) = operator.page("/admin/audit?act=undo_decision").await;
    for part in [
        "<option value=\"undo_decision\" selected>undo decision</option>",
        "<option value=\"block network\">block network</option>",
        "<td>undo decision</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<td>block network</td>"), "{page}");
}
