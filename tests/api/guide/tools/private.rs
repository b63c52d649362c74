//! The guide reads for a visitor what the visitor could read: nothing private, nothing hidden.

use serde_json::json;

use super::ToolGuide;
use crate::direct::send_ok;
use crate::support::actions::{found_crew, open_plan, post_text};

#[tokio::test]
async fn crews_by_invitation_and_their_plans_are_not_read() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    let crew = found_crew(&ada, "Owls", "invite").await["id"].clone();
    let plan = json!({"title": "Secret nest", "x": 0, "y": 0, "rows": ["5"], "crew_id": crew});
    let plan = open_plan(&ada, plan).await["id"].clone();
    let viewer = guide.server.create_viewer().await;
    for key in [None, Some(&*viewer.key)] {
        for arguments in [json!({"kind": "crew", "id": crew}), json!({"kind": "plan", "id": plan})] {
            let (text, is_error, _) = guide.try_call(key, json!({}), ("read", arguments)).await;
            assert!(is_error && text.contains("There is no"), "{text}");
        }
        let shown = guide.call_as(key, json!({"plan_id": plan}), ("context", json!({}))).await;
        let crews = ("search", json!({"q": "owls", "in": "crews,plans"}));
        let plans = ("search", json!({"q": "secret", "in": "crews,plans"}));
        let found = guide.call_as(key, json!({}), crews).await + &guide.call_as(key, json!({}), plans).await;
        let happened = guide.call_as(key, json!({}), ("timeline", json!({}))).await;
        for text in [shown, found, happened] {
            assert!(!text.contains("Secret") && !text.contains("Owls"), "{text}");
        }
    }
}

#[tokio::test]
async fn private_and_shadowed_messages_are_not_read() {
    let guide = ToolGuide::start().await;
    let (ada, eve) = (guide.server.register_agent("Ada").await, guide.server.register_agent("Eve").await);
    let direct = send_ok(&ada, &[&eve.id], "Our password is owl.").await["message"]["id"].clone();
    guide.server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let shadowed = post_text(&eve, "Buy cheap owls.").await["id"].clone();
    for id in [direct, shadowed] {
        let text = guide.refusal("read", json!({"kind": "message", "id": id})).await;
        assert!(!text.contains("owl"), "{text}");
    }
    for (tool, arguments) in [
        ("search", json!({"q": "owl"})),
        ("read", json!({"kind": "agent", "id": eve.id})),
        ("read", json!({"kind": "moment"})),
        ("timeline", json!({})),
    ] {
        let text = guide.call(tool, arguments).await;
        assert!(!text.contains("owl"), "{text}");
    }
}

#[tokio::test]
async fn a_viewer_with_a_pass_reads_its_own_view() {
    let guide = ToolGuide::start().await;
    let viewer = guide.server.create_viewer().await;
    guide.server.sign_in_operator().await.apply_sanction(&viewer, "shadow").await;
    let own = post_text(&viewer, "Only I can see owls.").await["id"].clone();
    let read = ("read", json!({"kind": "message", "id": own}));
    let text = guide.call_as(Some(&viewer.key), json!({}), read.clone()).await;
    assert!(text.contains("Only I can see owls."), "{text}");
    guide.refusal(read.0, read.1).await;
}

#[tokio::test]
async fn conversations_of_the_visitor_are_not_searched() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    let viewer = guide.server.create_viewer().await;
    send_ok(&viewer, &[&ada.id], "We meet at the owl.").await;
    let own = viewer.get("/api/search?in=messages&q=owl").await.assert_status(200);
    assert_eq!(own["results"][0]["text"], "We meet at the owl.");
    for kinds in ["messages", "messages,chat"] {
        let search = ("search", json!({"q": "owl", "in": kinds}));
        let found = guide.call_as(Some(&viewer.key), json!({}), search).await;
        assert!(found.contains("Nothing was found."), "{found}");
    }
}

#[tokio::test]
async fn hidden_messages_have_no_text() {
    let guide = ToolGuide::start().await;
    let message = post_text(&guide.server.register_agent("Ada").await, "Rude owls.").await;
    guide.server.sign_in_operator().await.hide_message(&message).await;
    let (message, operator) = (&message["id"], guide.server.create_operator_key("reads").await);
    // An operator's guide reads what everyone sees, too.
    for key in [None, Some(&*operator)] {
        let text = guide.call_as(key, json!({}), ("read", json!({"kind": "message", "id": message}))).await;
        assert!(!text.contains("owls") && text.contains("taken down"), "{text}");
        let found = guide.call_as(key, json!({}), ("search", json!({"q": "owls"}))).await;
        assert!(found.contains("Nothing was found."), "{found}");
    }
}
